"""Threads that may come to the barrier on another path.

In: a decision that parts two threads. Out: whether those that do not take it may still reach the
barrier, by decisions further on that are not evaluated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import SplitCandidate


def _may_come_otherwise(candidate: SplitCandidate) -> bool:
    return candidate.comes_otherwise


DOUBT = Doubt(
    "others-may-arrive",
    Effect.POSSIBLE,
    "the threads that skip this branch may reach the barrier on another path",
    _may_come_otherwise,
)
