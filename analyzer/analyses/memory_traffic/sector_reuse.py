"""Whether the sectors a warp moves for one access are used by its neighbours too.

In: an evaluated global access and the others of its kernel. Out: the bytes used per sector when
accesses that follow each other closely are taken together: the other members of a structure, the
neighbouring elements a thread reads one after the other, the iterations of a loop that walks a row.
L1 usually keeps the sectors that long; it is not modelled, so this tempers a finding and never
makes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...hardware.sectors import SECTOR_BYTES
from ...source.records import dataclass
from .access_weight import step_along

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..warp_evaluation.lane_values import LaneValue
    from .facts import TrafficFacts
    from .global_accesses import GlobalAccess

_WIDEST = 1 << 12  # bytes of one access: beyond them it fills its sectors alone
#: The compiler loads every member of an aligned vector at once.
MERGED = "one vector access"
NEIGHBOURS = "neighbouring accesses"
ITERATIONS = "later iterations of the loop"


@dataclass(frozen=True, slots=True)
class Reuse:
    """How well the sectors are used in the end, and by what."""

    bytes_per_sector: float
    by: str  # MERGED, NEIGHBOURS, ITERATIONS or ""


class SectorReuse:
    """The use of the sectors that the accesses of one kernel move."""

    def __init__(self, facts: TrafficFacts) -> None:
        self._facts = facts
        self._joint: dict[tuple[Hashable, ...], float | None] = {}

    def of(self, access: GlobalAccess) -> Reuse:
        """The use of the sectors of an access, its neighbours and its loop included."""
        own = access.worst.use.bytes_per_sector
        value = _address(self._facts, access)
        if value is not None and step_along(self._facts, access.access, value) == (
            access.access.width
        ):
            return Reuse(float(SECTOR_BYTES), ITERATIONS)
        joint = self._joint_use(access) or own
        if joint <= own:
            return Reuse(own, "")
        whole = access.access.vector and joint >= SECTOR_BYTES - 1
        return Reuse(joint, MERGED if whole else NEIGHBOURS)

    def _joint_use(self, access: GlobalAccess) -> float | None:
        """Bytes used of each sector by a warp's accesses of one kind to one object in a block."""
        warp = access.worst.warp
        key = (*_neighbourhood(access), warp)
        if key not in self._joint:
            touched: set[int] = set()
            for other in self._facts.global_accesses:
                if not other.reason and _neighbourhood(other) == key[:-1]:
                    touched |= _touched(other, warp)
            sectors = {byte // SECTOR_BYTES for byte in touched}
            self._joint[key] = len(touched) / len(sectors) if sectors else None
        return self._joint[key]


def _neighbourhood(access: GlobalAccess) -> tuple[Hashable, ...]:
    """What accesses have in common that may use each other's sectors."""
    return (access.object, access.access.block, access.access.writes)


def _touched(access: GlobalAccess, warp: int) -> set[int]:
    """The bytes that a warp touches the first time."""
    first = next((sample for sample in access.samples if sample.warp == warp), None)
    width = min(access.access.width or 0, _WIDEST)
    touched: set[int] = set()
    for offset in first.offsets if first is not None else ():
        if offset is not None:
            touched.update(range(offset, offset + width))
    return touched


def _address(facts: TrafficFacts, access: GlobalAccess) -> LaneValue | None:
    from ..warp_evaluation.lane_values import LaneValue

    block = access.access.block
    assert block is not None
    launch = facts.of_launch(access.launch)
    value = launch.evaluator(access.worst.warp).value_in(block, access.access.address)
    return value if isinstance(value, LaneValue) else None
