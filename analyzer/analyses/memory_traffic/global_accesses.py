"""Global memory accesses as the memory system sees them: 32 addresses, sectors, ideal sectors.

In: a kernel's facts and a launch. Out: one `GlobalAccess` for each load, store or atomic that
touches global memory; `worst_launch` chooses among those of several launches. Addresses are
offsets from the object's start, which is aligned to 256 bytes for allocations (CUDA C++
Programming Guide, "Device Memory Accesses"). What is not known but the same for all lanes is left
out; when it may move the warp by less than a sector (`shifts`), the count is that of the best case
(`ratio_ranges.py` has the others).
Not handled: hits in L1 between the accesses of a thread.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...hardware.sectors import LINE_BYTES, SECTOR_BYTES, SectorUse, global_sectors
from ...hardware.throughput import Resource
from ...ir.memory import MemoryObject, Space
from ...ir.operations import AccessKind, Compare, MemoryAccess, Opcode
from ...source.records import dataclass
from ..dataflow.joined_conditions import joined_conditions
from ..warp_evaluation.access_iterations import moved, sweep
from ..warp_evaluation.lane_values import WARP, LaneValue, subtract
from ..warp_evaluation.open_types import width_of
from ..warp_evaluation.warp_evaluator import Unevaluable
from .usual_launches import agreed, is_open

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from ...ir.block import Block
    from ..dataflow.control_flow import ControlEdge
    from ..launch.assumed_launch import AssumedLaunch
    from ..warp_evaluation.access_iterations import Offsets
    from ..warp_evaluation.lane_values import Coefficient
    from .facts import TrafficLaunch


@dataclass(frozen=True, slots=True)
class GlobalSample:
    """One warp executing an access to global memory once, and the sectors it uses."""

    warp: int
    iteration: int
    start: Offsets  # of all iterations that only move the warp
    shift: int
    use: SectorUse

    @property
    def offsets(self) -> Offsets:
        """Where each lane is; None for lanes that take no part."""
        return moved(self.start, self.shift)

    @property
    def active(self) -> int:
        """How many lanes take part."""
        return sum(offset is not None for offset in self.start)


@dataclass(frozen=True, slots=True)
class GlobalAccess:
    """One access to global memory and the sectors it moves; when not analysed, why."""

    access: MemoryAccess
    object: MemoryObject | None
    launch: AssumedLaunch
    width: int = 0  # bytes of each lane
    samples: tuple[GlobalSample, ...] = ()
    reason: str = ""
    assumed: frozenset[Block] = frozenset()  # guards taken to let every lane through
    complete: bool = True  # every iteration of the loops was looked at
    passed: tuple[tuple[str, int], ...] = ()  # parameters whose values the launch gives
    shifts: frozenset[tuple[Hashable, int]] = frozenset()  # what may move it by part of a sector
    looked: int = 0  # warps that were looked at, whether they execute it or not
    #: A guard taken for true asks if an index that differs between lanes equals a number: few of
    #: the lanes that it would let through come in any warp, and none in most.
    picked: bool = False

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


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a warp moves now, and what it would with `threadIdx.x` and `threadIdx.y` swapped."""

    now: SectorUse
    then: SectorUse

    def factors(self, *, shared: bool) -> dict[Resource, float]:
        """By how much more, or less, of each resource is used; `shared` where other accesses use
        the rest of its sectors.
        """
        now, then = self.now, self.then
        used = then.bytes_used / now.bytes_used
        return {
            Resource.SECTORS: used if shared else then.sectors / now.sectors,
            Resource.WAVEFRONTS: then.lines / now.lines,
            Resource.MEMORY: 1.0 if shared else then.ratio / now.ratio,
        }


def exchange_of(access: GlobalAccess) -> Exchange | None:
    """What swapping x and y does to an access; None where its lanes are not the same distances
    apart along x, nor along y.
    """
    steps = steps_of_lanes(access)
    if steps is None:
        return None
    columns = access.launch.block[0]
    along_x, along_y = steps
    lanes = [divmod(lane, columns) for lane in range(WARP)]
    now = [x * along_x + y * along_y for y, x in lanes]
    then = [y * along_x + x * along_y for y, x in lanes]
    first = next(each for each in access.samples if each.warp == 0 and each.iteration == 0)
    start = first.start[0]
    if start is None or any(
        at is not None and at - start != step for at, step in zip(first.start, now, strict=True)
    ):
        return None
    uses = [global_sectors([start + at for at in each], access.width) for each in (now, then)]
    return Exchange(*uses)


def steps_of_lanes(access: GlobalAccess) -> tuple[int, int] | None:
    """How many bytes threads are apart that are neighbours in x, and in y; None where there are
    none.
    """
    x, y, _ = access.launch.block
    first = {sample.warp: sample.offsets for sample in access.samples if sample.iteration == 0}
    start = first.get(0)
    if x < 2 or y < 2 or start is None:
        return None
    if x < WARP:
        rows, below = 1, start[x]
    else:  # the warps that were looked at are spread out
        at = next((warp for warp in sorted(first) if warp and warp * WARP % x == 0), 0)
        rows, below = at * WARP // x, first[at][0]
    if not rows or start[0] is None or start[1] is None or below is None:
        return None
    if (below - start[0]) % rows:
        return None
    return start[1] - start[0], (below - start[0]) // rows


def evaluate_global_accesses(launch: TrafficLaunch) -> tuple[GlobalAccess, ...]:
    """Every access to global memory in one launch with the sectors it moves, in program order."""
    left_out = (AccessKind.PREFETCH, AccessKind.ASYNC_COPY, AccessKind.MATRIX_LOAD)
    spaces = launch.facts.points_to.spaces
    return tuple(
        evaluate_global_access(launch, access)
        for access in launch.facts.accesses
        if access.kind not in left_out and spaces(access) == {Space.GLOBAL}
    )


def worst_launch(outcomes: Sequence[GlobalAccess]) -> GlobalAccess:
    """What an access to global memory moves in the launch with the highest ratio of sectors; one
    that is not analysed comes last.
    """
    return max(outcomes, key=lambda outcome: (not outcome.reason, outcome.ratio))


def evaluate_global_access(launch: TrafficLaunch, access: MemoryAccess) -> GlobalAccess:
    """The sectors that one access to global memory moves in one launch, or in all that are usual
    where they agree.
    """
    plain = _evaluate(launch, access)
    variants = launch.variants_of(access) if is_open(plain.reason) else ()
    if not variants:
        return plain
    found = agreed((_evaluate(variant, access) for variant in variants), plain)
    if isinstance(found, str):
        return replace(plain, reason=found)
    return replace(found, launch=launch.launch)


def _evaluate(launch: TrafficLaunch, access: MemoryAccess) -> GlobalAccess:
    blank = GlobalAccess(access, launch.facts.points_to.object_of(access), launch.launch)
    swept = sweep(launch, access)
    if isinstance(swept, Unevaluable):
        return replace(blank, reason=swept.reason)
    width = width_of(launch.launch, access) or 0
    samples: list[GlobalSample] = []
    uses: dict[tuple[int, int], SectorUse] = {}
    for iteration in swept.iterations:
        if iteration.executed:
            key = (id(iteration.start), iteration.shift % LINE_BYTES)  # whole lines change nothing
            if key not in uses:
                uses[key] = global_sectors(moved(iteration.start, key[1]), width)
            samples.append(
                GlobalSample(
                    iteration.warp, iteration.number, iteration.start, iteration.shift, uses[key]
                )
            )
    unknown = [iteration.terms for iteration in swept.iterations]  # mostly one for many iterations
    return replace(
        blank,
        width=width,
        samples=tuple(samples),
        assumed=swept.assumed,
        complete=swept.complete,
        looked=len(set(launch.warps())),
        picked=any(_picks_lanes(launch, edge) for edge in _passed(launch, access, swept.assumed)),
        passed=launch.passed_to(access),
        shifts=frozenset().union(*map(_shifts, {id(each): each for each in unknown}.values())),
    )


def _passed(
    launch: TrafficLaunch, access: MemoryAccess, assumed: frozenset[Block]
) -> Iterator[ControlEdge]:
    """The ways out of guards that are not known by which alone control comes to an access."""
    flow = launch.facts.flow
    for edge in flow.controlling_edges(access.block) if assumed else ():
        alone = edge.target.predecessors == [edge.branch]
        if (
            edge.branch in assumed
            and alone
            and flow.dominators.dominates(edge.target.index, access.block.index)
        ):
            yield edge


def _picks_lanes(launch: TrafficLaunch, edge: ControlEdge) -> bool:
    """Whether a way is taken by lanes at which an index, another in each, equals a number."""
    parts = () if edge.condition is None else joined_conditions(*edge.condition)
    evaluator = launch.evaluator(0)
    for part, holds in parts:
        if isinstance(part, Compare) and part.opcode is (Opcode.EQ if holds else Opcode.NE):
            first, second = (evaluator.value_in(edge.branch, side) for side in part.operands[:2])
            if isinstance(first, LaneValue) and isinstance(second, LaneValue):
                apart = subtract(first, second)
                if apart.terms and apart.shifts_only and len(set(apart.lanes)) > 1:
                    return True
    return False


def _shifts(terms: tuple[tuple[Hashable, Coefficient], ...]) -> frozenset[tuple[Hashable, int]]:
    """What is not known and no multiple of a sector, but for the object's start."""
    return frozenset(
        (name, coefficient if isinstance(coefficient, int) else 1)
        for name, coefficient in terms
        if not isinstance(coefficient, int) or coefficient % SECTOR_BYTES
        if coefficient != 1 or not (isinstance(name, MemoryObject) or hasattr(name, "pointee"))
    )
