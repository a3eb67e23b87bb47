"""Sizes that may keep warps whole: all the threads, padded to warps, or groups of whole warps.

In: a mask of all lanes that does not fit, shown with a size that was chosen. Out: whether the
decisions that part the warp compare what may be a multiple of 32
(`block_shape/block_size_guesses.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_shape.block_size_guesses import may_fill_warps
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import MaskCandidate


def _may_be_whole(candidate: MaskCandidate) -> bool:
    if not candidate.assumes_size or not candidate.names_all:
        return False
    return may_fill_warps(candidate.launch, candidate.operation, candidate.splits)


DOUBT = Doubt(
    "warps-may-stay-whole",
    Effect.POSSIBLE,
    "the size that parts the warp may be a multiple of 32 in every launch",
    _may_be_whole,
)
