"""Global memory accesses as the memory system sees them: 32 addresses, sectors, ideal sectors.

In: a kernel's facts and a launch. Out: one `GlobalAccess` for each load, store or atomic that
touches global memory; `worst_launch` chooses among those of several launches. Addresses are
offsets from the object's start, which is aligned to 256 bytes for allocations (CUDA C++
Programming Guide, "Device Memory Accesses"). What is not known but the same for all lanes is left
out; when it may move the warp by less than a sector, `aligned` is False and the count is that of
the best case.
Not handled: hits in L1 between the accesses of a thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..hardware.sectors import SECTOR_BYTES, SectorUse, global_sectors
from ..ir.memory import MemoryObject, Space
from ..ir.operations import AccessKind, MemoryAccess
from .access_rounds import NOT_EXECUTED, rounds_of_access
from .warp_evaluator import Unevaluable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir.block import Block
    from .facts import LaunchFacts
    from .lane_values import LaneValue
    from .launch import AssumedLaunch

_WIDTHS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class GlobalSample:
    """One warp executing the access once."""

    warp: int
    round: int
    offsets: tuple[int | None, ...]
    use: SectorUse

    @property
    def active(self) -> int:
        """How many lanes take part."""
        return sum(offset is not None for offset in self.offsets)


@dataclass(frozen=True, slots=True)
class GlobalAccess:
    """One access and what it moves; when not analysed, why."""

    access: MemoryAccess
    object: MemoryObject | None
    launch: AssumedLaunch
    samples: tuple[GlobalSample, ...] = ()
    reason: str = ""
    assumed: frozenset[Block] = frozenset()  # guards taken to let every lane through
    complete: bool = True  # every round of the loops was looked at
    passed: tuple[tuple[str, int], ...] = ()  # parameters whose values the launch gives
    aligned: bool = True  # the unknown part moves the warp by whole sectors

    @property
    def sectors(self) -> int:
        """Of all samples."""
        return sum(sample.use.sectors for sample in self.samples)

    @property
    def ideal(self) -> int:
        """Ideal sectors of all samples."""
        return sum(sample.use.ideal for sample in self.samples)

    @property
    def ratio(self) -> float:
        """Sectors per ideal sector."""
        return self.sectors / self.ideal if self.ideal else 1.0

    @property
    def worst(self) -> GlobalSample:
        """The sample with the highest ratio, the first of several."""
        return max(self.samples, key=lambda sample: sample.use.ratio)


def evaluate_global_accesses(launch: LaunchFacts) -> tuple[GlobalAccess, ...]:
    """Every access to global memory in one launch, in program order."""
    left_out = (AccessKind.PREFETCH, AccessKind.ASYNC_COPY, AccessKind.MATRIX_LOAD)
    spaces = launch.facts.points_to.spaces
    return tuple(
        evaluate_global_access(launch, access)
        for access in launch.facts.accesses
        if access.kind not in left_out and spaces(access) == {Space.GLOBAL}
    )


def worst_launch(outcomes: Sequence[GlobalAccess]) -> GlobalAccess:
    """The outcome of one access with the highest ratio; one that is not analysed comes last."""
    return max(outcomes, key=lambda outcome: (not outcome.reason, outcome.ratio))


def evaluate_global_access(launch: LaunchFacts, access: MemoryAccess) -> GlobalAccess:
    """One access to global memory in one launch."""
    object = launch.facts.points_to.object_of(access)
    width = access.width or 0
    if not launch.launch.trusted:
        return _refused(launch, access, "the block's shape is not known: set --block")
    if width not in _WIDTHS:
        known = f"{width} bytes per thread"
        return _refused(
            launch, access, known if width else "the size of the element type is not known"
        )
    samples: list[GlobalSample] = []
    assumed: set[Block] = set()
    complete = aligned = True
    for warp in launch.warps():
        outcome = rounds_of_access(launch, access, warp)
        if isinstance(outcome, Unevaluable):
            return _refused(launch, access, outcome.reason)
        complete = complete and outcome.complete
        for number, (value, guarded) in enumerate(outcome.rounds):
            assumed |= guarded.assumed
            aligned = aligned and _moves_by_sectors(value)
            offsets = tuple(
                lane if active else None
                for lane, active in zip(value.lanes, guarded.mask, strict=True)
            )
            if any(offset is not None for offset in offsets):
                use = global_sectors(offsets, width)
                samples.append(GlobalSample(warp, number, offsets, use))
    if not samples:
        return _refused(launch, access, NOT_EXECUTED)
    return GlobalAccess(
        access,
        object,
        launch.launch,
        tuple(samples),
        assumed=frozenset(assumed),
        complete=complete,
        passed=launch.passed_to(access),
        aligned=aligned,
    )


def _refused(launch: LaunchFacts, access: MemoryAccess, reason: str) -> GlobalAccess:
    object = launch.facts.points_to.object_of(access)
    return GlobalAccess(access, object, launch.launch, reason=reason)


def _moves_by_sectors(value: LaneValue) -> bool:
    """Whether everything not known, but for the object's start, is a multiple of a sector."""
    return all(
        coefficient == 1 and (isinstance(name, MemoryObject) or hasattr(name, "pointee"))
        for name, coefficient in value.terms
        if not isinstance(coefficient, int) or coefficient % SECTOR_BYTES
    )
