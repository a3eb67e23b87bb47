"""Grids of unknown size: they may be a single block, and that one stays inside the array.

In: a thread beyond the end of an array. Out: whether it is one of another block than the first, and
the launch does not say how many blocks there are along an axis on which that block is another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import OutsideCandidate


def _may_be_one_block(candidate: OutsideCandidate) -> bool:
    block, grid = candidate.outside.touch.block, candidate.context.launch.launch.grid
    return block is not None and any(
        at > 0 and size is None for at, size in zip(block, grid, strict=True)
    )


DOUBT = Doubt(
    "grid-not-stated",
    Effect.POSSIBLE,
    "the size of the grid is not stated, and the first block stays inside the array",
    _may_be_one_block,
)
