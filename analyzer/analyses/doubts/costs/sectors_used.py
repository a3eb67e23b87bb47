"""Sectors whose other bytes accesses close by use: what is left of the cost depends on L1.

In: how well the sectors of an access to global memory are used in the end. Out: whether hardly a
byte of them is moved for nothing, if L1 keeps them for the accesses that follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...memory_traffic.sector_reuse import Reuse

#: Bytes of a sector: the ends of rows are not used whole.
FULLY_USED = 28.0


def _are_used(reuse: Reuse) -> bool:
    return reuse.bytes_per_sector >= FULLY_USED


DOUBT = Doubt(
    "sectors-used-nearby",
    Effect.POSSIBLE,
    "neighbouring accesses or iterations use the rest of each sector, if L1 keeps it",
    _are_used,
)
