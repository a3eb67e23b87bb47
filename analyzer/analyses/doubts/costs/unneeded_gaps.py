"""Elements between those of the lanes that nothing close by needs: only another layout would help.

In: a load from global memory whose lanes skip elements of an array, and whose sectors nothing
close by uses better. Out: whether the lanes are evenly apart, use half of each sector at least, and
no structure says that what lies between belongs to the same thing: every second pixel of a picture,
as chroma is read. A tile in shared memory would move the same sectors. Structures are
`layout_of_others.py`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ....hardware.sectors import SECTOR_BYTES
from ...pointers.touched_structures import structure_of
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import LayoutCandidate

_HALF = SECTOR_BYTES / 2


def _are_unneeded(candidate: LayoutCandidate) -> bool:
    access = candidate.access
    if access.access.writes or access.worst.use.bytes_per_sector < _HALF:
        return False
    if structure_of(access.access, access.object) is not None:
        return False
    active = [(lane, at) for lane, at in enumerate(access.worst.offsets) if at is not None]
    steps = {(right[1] - left[1]) / (right[0] - left[0]) for left, right in pairwise(active)}
    return len(steps) == 1 and 0 < abs(steps.pop()) <= SECTOR_BYTES


DOUBT = Doubt(
    "gaps-not-needed",
    Effect.POSSIBLE,
    "lanes skip elements that nothing here needs: only another layout would move fewer sectors",
    _are_unneeded,
)
