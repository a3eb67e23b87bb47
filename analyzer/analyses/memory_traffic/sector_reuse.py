"""Whether the sectors a warp moves for one access are used by its neighbours too.

In: an evaluated global access and the others of its kernel. Out: the bytes used per sector when
accesses that follow each other closely are taken together: the other members of a structure, the
neighbouring elements a thread reads one after the other, past branches and through calls, and the
next iterations of a loop that walks along a row in steps of less than a sector.
Accesses in one iteration of one loop, or outside of all loops, are close. L1 usually keeps the
sectors that long; it is not modelled, so this tempers a finding and never makes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...hardware.sectors import SECTOR_BYTES
from ...source.records import dataclass
from ..dataflow.block_sets import reached
from .access_weight import step_along

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.block import Block
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
    """How well the sectors that an access moves are used in the end, and by what."""

    bytes_per_sector: float
    by: str  # MERGED, NEIGHBOURS, ITERATIONS or ""


class SectorReuse:
    """How the sectors that accesses of one kernel move are used by their neighbours too."""

    def __init__(self, facts: TrafficFacts) -> None:
        self._facts = facts
        self._joint: dict[tuple[Hashable, ...], float | None] = {}
        self._paths: dict[Block, set[Block]] = {}

    def of(self, access: GlobalAccess) -> Reuse:
        """The use of the sectors of an access, its neighbours and its loop included."""
        own = access.worst.use.bytes_per_sector
        if self._step(access) == access.width:
            return Reuse(float(SECTOR_BYTES), ITERATIONS)
        joint = self._joint_use(access) or own
        if joint <= own:
            return Reuse(own, "")
        if access.access.vector and joint >= SECTOR_BYTES - 1:
            return Reuse(joint, MERGED)
        return Reuse(joint, ITERATIONS if self._step(access) else NEIGHBOURS)

    def _joint_use(self, access: GlobalAccess) -> float | None:
        """Bytes used of each sector by a warp's accesses of one kind to one object, close by."""
        warp, block = access.worst.warp, access.access.block
        key = (*self._neighbourhood(access), block, warp)
        if key not in self._joint:
            touched: set[int] = set()
            for other in self._facts.global_accesses:
                alike = not other.reason and self._neighbourhood(other) == key[:-2]
                if alike and other.access.block in self._on_paths(access):
                    touched |= self._touched(other, warp)
            sectors = {byte // SECTOR_BYTES for byte in touched}
            self._joint[key] = len(touched) / len(sectors) if sectors else None
        return self._joint[key]

    def _on_paths(self, access: GlobalAccess) -> set[Block]:
        """The blocks that one iteration passes as well: no other arm of an `if` around it."""
        block = access.access.block
        if block not in self._paths:
            loop = self._facts.flow.innermost_loop.get(block)
            header = loop.header if loop is not None else None
            ends = None if block is header else header
            found = reached([block], without=ends) | reached([block], without=ends, back=True)
            self._paths[block] = found | ({header} if header is not None else set())
        return self._paths[block]

    def _neighbourhood(self, access: GlobalAccess) -> tuple[Hashable, ...]:
        """What accesses have in common that may use each other's sectors."""
        block = access.access.block
        loop = self._facts.flow.innermost_loop.get(block)
        return (access.object, loop, access.access.writes)

    def _touched(self, access: GlobalAccess, warp: int) -> set[int]:
        """The bytes that a warp touches the first time, and in the iterations that follow close."""
        first = next((sample for sample in access.samples if sample.warp == warp), None)
        width = min(access.width, _WIDEST)
        step = self._step(access)
        starts = range(0, SECTOR_BYTES, step) if step else range(1)
        touched: set[int] = set()
        for offset in first.offsets if first is not None else ():
            if offset is not None:
                for start in starts:
                    touched.update(range(offset + start, offset + start + width))
        return touched

    def _step(self, access: GlobalAccess) -> int:
        """The bytes by which an iteration moves on, where that is within a sector; else 0."""
        value = _address(self._facts, access)
        step = None if value is None else step_along(self._facts, access.access, value)
        return step if step is not None and 0 < step < SECTOR_BYTES else 0


def _address(facts: TrafficFacts, access: GlobalAccess) -> LaneValue | None:
    from ..warp_evaluation.lane_values import LaneValue

    block = access.access.block
    stated = facts.of_launch(access.launch)
    # Of several usual launches the one that the outcome is of: its elements have a size.
    usual = (each for each in stated.variants if each.launch.element in (None, access.width))
    launch = next(usual, stated)
    value = launch.evaluator(access.worst.warp).value_in(block, access.access.address)
    return value if isinstance(value, LaneValue) else None
