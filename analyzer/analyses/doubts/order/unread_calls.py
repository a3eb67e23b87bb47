"""Calls between two accesses of which nobody has read the body: one may hold a barrier.

In: two threads of a block. Out: whether the block comes to such a call after the one access and
before the other. Where data parts its threads before the call, not all of them would reach a
barrier there (`block_execution/unread_calls.py`): those calls are no doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _may_be_ordered(candidate: BlockCandidate) -> bool:
    return candidate.conflict.called


DOUBT = Doubt(
    "unread-call",
    Effect.POSSIBLE,
    "a function whose body was not found is called between the two accesses, and may synchronise",
    _may_be_ordered,
)
