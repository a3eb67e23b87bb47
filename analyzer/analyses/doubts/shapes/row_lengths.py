"""Rows of a block that was inferred: as many threads, most likely, but perhaps in other rows.

In: two blocks that meet, the block being inferred, of several rows. Out: whether blockDim.x or
blockDim.y has a part in where an access goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import Special
from ...dataflow.slices import registers_in
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import GridCandidate

_EXTENTS = frozenset({Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y})


def _depends_on_rows(candidate: GridCandidate) -> bool:
    if not candidate.launch.inferred or candidate.launch.block[1] <= 1:
        return False
    return not _EXTENTS.isdisjoint(registers_in(*(each.address for each in candidate.accesses)))


DOUBT = Doubt(
    "row-length-guessed",
    Effect.POSSIBLE,
    "the index depends on blockDim.x or blockDim.y, and the shape of the block is only inferred",
    _depends_on_rows,
)
