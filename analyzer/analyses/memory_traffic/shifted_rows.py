"""Accesses of whole warps, side by side, that begin in the middle of a sector.

In: the facts of a kernel. Out: for each object the first load or store whose 32 lanes are
neighbours and whose first lane is a constant distance behind a multiple of 32 bytes, in every block
and iteration, if all such accesses to the object have the same distance. Then the array as a whole
is shifted; several distances are the neighbours of a stencil, which cannot all be aligned. A
shifted access of 128 bytes touches 5 sectors instead of 4 (measured on an H200).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...hardware.sectors import SECTOR_BYTES
from ...ir.memory import Space
from ...ir.operations import AccessKind
from ..warp_evaluation.lane_addresses import LaneAddress, is_base, lane_address
from ..warp_evaluation.lane_values import per_lane

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from .facts import TrafficFacts

_WIDTHS = (4,)  # wider ones lose less than an eighth


def shifted_rows(facts: TrafficFacts) -> Iterator[LaneAddress]:
    """The first access to each object whose warps begin in the middle of a sector, where all are
    shifted, in program order.
    """
    found: dict[MemoryObject, list[LaneAddress]] = {}
    for access in facts.accesses:
        object = facts.points_to.object_of(access)
        if access.kind not in (AccessKind.LOAD, AccessKind.STORE) or object is None:
            continue
        if access.width not in _WIDTHS or facts.points_to.spaces(access) != {Space.GLOBAL}:
            continue
        address = lane_address(facts.launches[0], access)
        if isinstance(address, LaneAddress) and _is_row(address):
            found.setdefault(object, []).append(address)
    for addresses in found.values():
        distances = {address.value.lanes[0] % SECTOR_BYTES for address in addresses}
        if len(distances) == 1 and distances != {0}:
            yield addresses[0]


def _is_row(address: LaneAddress) -> bool:
    """Whether 32 neighbouring lanes move by whole sectors with everything that is not known."""
    lanes, width = address.value.lanes, address.access.width
    if not all(address.mask) or any(b - a != width for a, b in pairwise(lanes)):
        return False
    bases = [name for name, factor in address.value.terms if is_base(name) and factor == 1]
    return len(bases) == 1 and all(
        item % SECTOR_BYTES == 0
        for name, factor in address.value.terms
        if name not in bases
        for item in per_lane(factor)
    )
