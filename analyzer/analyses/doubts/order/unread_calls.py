"""Calls between two accesses of which nobody has read the body: one may hold a barrier.

In: two threads of a block. Out: whether the block comes to such a call after the one access and
before the other. Where not all threads would reach a barrier in it, or in another call of the same
function, there is none (`block_execution/unread_calls.py`): those calls are no doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _may_be_ordered(candidate: BlockCandidate) -> bool:
    calls = candidate.context.program.unread_calls
    return any(map(calls.may_wait, candidate.conflict.called))


DOUBT = Doubt(
    "unread-call",
    Effect.POSSIBLE,
    "a function whose body was not found is called between the two accesses, and may synchronise",
    _may_be_ordered,
)
