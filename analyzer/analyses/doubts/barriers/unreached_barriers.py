"""Barriers that no thread of a guessed block comes to: the real block may be another one.

In: a decision that parts two threads, the block being a guess. Out: whether no thread of it reaches
the barrier (`warp_evaluation/never_reached.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...warp_evaluation.never_reached import is_never_reached
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import SplitCandidate


def _is_not_reached(candidate: SplitCandidate) -> bool:
    if (
        candidate.witness is None
        or candidate.comes_otherwise
        or not candidate.launch.launch.guessed
    ):
        return False
    return is_never_reached(candidate.launch, candidate.barrier.block)


DOUBT = Doubt(
    "barrier-not-reached",
    Effect.POSSIBLE,
    "no thread of the guessed block reaches the barrier, so the real block has another shape",
    _is_not_reached,
)
