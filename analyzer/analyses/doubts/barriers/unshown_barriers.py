"""Barriers that nobody comes to with the numbers that part threads before them.

In: a decision before a barrier, and numbers that part two threads there. Out: whether the thread
that takes it was seen not to come to the barrier, with these numbers or any others that were tried:
another condition before the barrier holds it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ExitCandidate, SplitCandidate


def _is_not_shown(candidate: SplitCandidate | ExitCandidate) -> bool:
    return not candidate.comes


DOUBT = Doubt(
    "barrier-not-shown",
    Effect.POSSIBLE,
    "with the numbers tried, another condition keeps every thread from the barrier",
    _is_not_shown,
)
