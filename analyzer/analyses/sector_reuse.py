"""Whether the sectors a warp moves for one access are used by its neighbours too.

In: an evaluated global access and the others of its kernel. Out: the bytes used per sector when
accesses that follow each other closely are taken together: the other members of a structure, the
neighbouring elements a thread reads one after the other, the rounds of a loop that walks a row.
L1 usually keeps the sectors that long; it is not modelled, so this tempers a finding and never
makes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hardware.sectors import SECTOR_BYTES
from ..source.records import dataclass
from .access_weight import step_along

if TYPE_CHECKING:
    from .facts import KernelFacts
    from .global_accesses import GlobalAccess
    from .lane_values import LaneValue

#: The compiler loads every member of an aligned vector at once.
MERGED = "one vector access"


@dataclass(frozen=True, slots=True)
class Reuse:
    """How well the sectors are used in the end, and by what."""

    bytes_per_sector: float
    by: str  # MERGED, "neighbouring accesses", "the rounds of the loop", ""


def reuse_of(facts: KernelFacts, access: GlobalAccess) -> Reuse:
    """The use of the sectors of an access, its neighbours and its loop included."""
    sample = access.worst
    own = sample.use.bytes_per_sector
    value = _address(facts, access)
    if value is not None and step_along(facts, access.access, value) == access.access.width:
        return Reuse(float(SECTOR_BYTES), "the rounds of the loop")
    touched: set[int] = set()
    for other in facts.global_accesses:
        if other.reason or not _near(access, other):
            continue
        same = next((each for each in other.samples if each.warp == sample.warp), None)
        if same is not None:
            width = other.access.width or 0
            for offset in same.offsets:
                if offset is not None:
                    touched.update(range(offset, offset + width))
    sectors = {byte // SECTOR_BYTES for byte in touched}
    joint = len(touched) / len(sectors) if sectors else own
    if joint <= own:
        return Reuse(own, "")
    whole = access.access.vector and joint >= SECTOR_BYTES - 1
    return Reuse(joint, MERGED if whole else "neighbouring accesses")


def _near(access: GlobalAccess, other: GlobalAccess) -> bool:
    """Accesses of one object, of one kind, in one basic block."""
    return (
        other.object is access.object
        and other.access.block is access.access.block
        and other.access.writes == access.access.writes
    )


def _address(facts: KernelFacts, access: GlobalAccess) -> LaneValue | None:
    from .lane_values import LaneValue

    block = access.access.block
    assert block is not None
    launch = facts.of_launch(access.launch)
    value = launch.evaluator(access.worst.warp).value_in(block, access.access.address)
    return value if isinstance(value, LaneValue) else None
