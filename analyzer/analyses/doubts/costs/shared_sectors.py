"""Sectors of which other accesses use the rest: L1 may keep them until then.

In: how much of the sectors that an access moves is used in all, its neighbours and the next
iterations included. Out: whether that is nearly all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...memory_traffic.sector_reuse import Reuse

_NEARLY_ALL = 28.0  # of the 32 bytes of a sector


def _are_used(reuse: Reuse) -> bool:
    return reuse.bytes_per_sector >= _NEARLY_ALL


DOUBT = Doubt(
    "sectors-used-by-others",
    Effect.POSSIBLE,
    "other accesses use the rest of each sector, and L1 may keep it for them",
    _are_used,
)
