"""Lanes that are read and are missing, where a chosen size parts the warp in no plain way.

In: a shuffle whose sources are missing. Out: whether a size parts the warp other than by an element
for each lane, `i < n`, for which any number of elements is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import MaskCandidate


def _is_odd(candidate: MaskCandidate) -> bool:
    return candidate.assumes_size and candidate.has_odd_split


DOUBT = Doubt(
    "source-may-be-there",
    Effect.POSSIBLE,
    "other sizes than the one chosen may leave the lanes that are read in the warp",
    _is_odd,
)
