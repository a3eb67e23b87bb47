"""Decisions that may differ between threads, for which no two threads were found.

In: a decision before a barrier. Out: whether no numbers and no data were found under which one
thread takes it and another one does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import SplitCandidate


def _has_no_witness(candidate: SplitCandidate) -> bool:
    return candidate.witness is None


DOUBT = Doubt(
    "no-witness",
    Effect.POSSIBLE,
    "no two threads were found that this condition separates",
    _has_no_witness,
)
