"""What a kernel pays with over a launch, and which of its accesses have which share of it.

In: a launch of a kernel. Out: wavefronts in shared memory and sectors of global memory of each
access, and issue slots of the kernel. What an access to global memory asks for is not what it waits
for: L1 looks up its lines one after the other, on the path that shared memory takes; the sectors
that neighbours or later iterations use are moved once (`sector_reuse.py`); and what several blocks
or warps ask for comes from memory once. Where an access is counted over the launch
(`access_totals.py`) its totals are taken; else its mean request, times the executions of another
access in its block of the code that are counted; or times the warps that execute it, times the
iterations of the loops around it: their mean in a few blocks, where they differ. Loops whose trip
counts nobody knows all have the same usual one, which leaves the shares inside of such a loop as
they are. What is left to the last block is done once. An access that was not analysed is taken for
a coalesced one; where data or an unknown stride sets the lanes apart, for one sector per lane.
Not handled: how often data lets a branch be taken (always), hits in L1 between warps.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from ...hardware.sectors import LINE_BYTES, SECTOR_BYTES
from ...hardware.throughput import Resource, throughput
from ...ir.memory import Space
from ...ir.operations import MemoryAccess, Opcode
from ...ir.types import Kind
from ...source.records import dataclass
from ..block_execution.launch_values import BLOCK_INDEX
from ..pointers.counted_blocks import run_at_one_count
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.load_reuse import is_reused
from ..warp_evaluation.reasons import LOADED, UNKNOWN_STRIDE
from ..warp_evaluation.trip_counts import counted_trips
from .access_table import totalled_accesses
from .contended_atomics import updates_of_one_address
from .executions import block_axes
from .loop_stores import loops_left
from .sector_reuse import SectorReuse
from .shared_accesses import SharedAccess

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...hardware.throughput import Throughput
    from ...ir.block import Block
    from ..dataflow.control_flow import Loop
    from ..launch.assumed_launch import Box
    from .access_table import CountedAccess, Side
    from .facts import TrafficLaunch
    from .global_accesses import GlobalAccess

_FEW = 256  # executions that are counted one by one; of more the mean will do
USUAL_TRIPS = 16  # of a loop whose trip count nobody knows
_OTHER_TRIPS = (4, 256)  # of such loops, to see what rests on the usual one
#: What mostly has no instruction of its own, or shares one with what uses it.
_FREE = frozenset({Opcode.PHI, Opcode.CONVERT, Opcode.EXTRACT, Opcode.INSERT})
_HALVES = frozenset({Opcode.MUL, Opcode.ADD, Opcode.SUB})  # of a fused multiply-add
#: Instructions for an operation on integers: compilers move them out of loops and into addresses,
#: and nothing is left of them where a loop is unrolled.
_INTEGER = 0.25
_LINE = LINE_BYTES // SECTOR_BYTES  # sectors
_UNROLLED = 32  # trips that compilers mostly unroll


@dataclass(frozen=True, slots=True)
class AccessCost:
    """What one access costs of one resource; `counted` is False for what is estimated, `sampled` is
    True where it is the mean of a part of the executions, whose number is known.
    """

    access: MemoryAccess
    resource: Resource
    units: float
    ideal: float
    counted: bool
    uses: Mapping[Resource, float]  # of all resources
    needs: Mapping[Resource, float]  # the same if it were ideal
    sampled: bool = False

    @property
    def wasted(self) -> dict[Resource, float]:
        """What would not be used if it were ideal."""
        return {each: max(0.0, units - self.needs[each]) for each, units in self.uses.items()}

    @property
    def is_shared(self) -> bool:
        """Whether other accesses use the rest of its sectors of global memory."""
        return self.units > self.uses[Resource.SECTORS]


@dataclass(frozen=True, slots=True)
class KernelCost:
    """All that a launch of a kernel costs: sectors, wavefronts, instructions."""

    costs: tuple[AccessCost, ...]
    used: Mapping[Resource, float]
    machine: Throughput
    weights: Weights
    guesses: tuple[KernelCost, ...] = ()  # with other trip counts where nobody knows them

    def of(self, access: MemoryAccess) -> AccessCost | None:
        """The cost of one access; None for one that touches neither memory."""
        return next((cost for cost in self.costs if cost.access is access), None)

    def share(self, resource: Resource, units: float) -> float:
        """Which part of a resource that is."""
        whole = self.used.get(resource, 0.0)
        return min(1.0, units / whole) if whole else 0.0

    def saved(self, less: Mapping[Resource, float]) -> float:
        """Which part of the time goes when so much less is used."""
        return self.machine.saved(self.used, less, self.weights.blocks)

    @property
    def is_serialised(self) -> bool:
        """Whether atomics that wait for each other take about as long as all else, at the least."""
        times = self.machine.times(self.used, self.weights.blocks)
        updates = times.pop(Resource.UPDATES, 0.0)
        return updates > max(times.values(), default=0.0) / 2


def kernel_cost(launch: TrafficLaunch) -> KernelCost:
    """What a launch of a kernel costs, or one block of it where the grid is not known."""
    rows = totalled_accesses(launch, _FEW)
    reuse, weights = SectorReuse(launch.facts), Weights(launch, rows)
    cost = _cost(_Traffic(launch, weights, reuse), rows)
    if weights.know_all:
        return cost
    others = (weights.with_usual(trips) for trips in _OTHER_TRIPS)
    guesses = tuple([_cost(_Traffic(launch, other, reuse), rows) for other in others])
    return replace(cost, guesses=guesses)


def _cost(traffic: _Traffic, rows: Sequence[CountedAccess]) -> KernelCost:
    launch, weights = traffic.launch, traffic.weights
    costs = tuple(cost for row in rows for cost in traffic.costs(row))
    used: dict[Resource, float] = {Resource.ISSUE_SLOTS: weights.issue_slots()}
    for cost in costs:
        for resource, units in cost.uses.items():
            used[resource] = used.get(resource, 0.0) + units
    if updates := updates_of_one_address(launch, weights.executions):
        used[Resource.UPDATES] = updates
    return KernelCost(costs, used, throughput(launch.facts.architecture), weights)


class Weights:
    """How often the blocks of a kernel's code are executed in a launch, to weigh what they cost."""

    def __init__(
        self, launch: TrafficLaunch, rows: Sequence[CountedAccess] = (), usual: int = USUAL_TRIPS
    ) -> None:
        self._launch = launch
        self._rows = rows
        self._usual = float(usual)
        self._seen = {  # executions by warps that an access of the block was counted in
            row.access.block: float(side.totals.warps)
            for row in rows
            for side in row.sides
            if side.totals is not None and side.totals.warps and not row.never
        }
        self._flow = launch.facts.flow
        self._grid = launch.launch.grid
        self.blocks = launch.launch.block_count  # of the grid
        self._at_one_count = run_at_one_count(launch.facts)  # what the last block does alone
        self._trips: dict[Block, float | None] = {}  # of loops, by their headers
        self._places: list[tuple[TrafficLaunch, int]] | None = None  # to count trips at

    def with_usual(self, trips: int) -> Weights:
        """The same with another trip count for loops that nobody knows it of."""
        other = Weights(self._launch, self._rows, trips)
        other._trips, other._places = self._trips, self._places
        return other

    @property
    def know_all(self) -> bool:
        """Whether the trip counts of all loops are known."""
        nests = (self._flow.loop_nest(loop.header) for loop in self._flow.loops)
        return None not in map(self._known_trips, nests)

    def executions(self, block: Block) -> float:
        """How often warps come to a block of the code, all of them together: as often as they
        execute any access in it, whatever guards decide that.
        """
        if block in self._seen:
            return self._seen[block]
        return self.warps(block) * self.iterations(block)

    def are_counted(self, block: Block) -> bool:
        """Whether its executions are those that were counted, of warps with a lane in it."""
        return block in self._seen

    def rounds_left(self, access: MemoryAccess) -> float:
        """How many iterations of loops share one execution of an access that is moved out."""
        nest = self._flow.loop_nest(access.block)
        left = len(list(loops_left(self._launch.facts, access))) if nest else 0
        trips = (self._known_trips(nest[depth:]) for depth in range(left))
        return prod(self._usual if each is None else max(each, 1.0) for each in trips)

    def knows_executions(self, block: Block) -> bool:
        """Whether the grid, and the loops around a block of the code, have known sizes."""
        nest = self._flow.loop_nest(block)
        if self.blocks is None:
            return False
        return None not in [self._known_trips(nest[depth:]) for depth in range(len(nest))]

    def warps(self, block: Block) -> float:
        """The warps of the launch that may come to a block of the code."""
        count = self._at_one_count.get(block)
        blocks = self.blocks or 1
        if count is not None and self.blocks is not None:
            axes = block_axes(self._launch, [count.address])  # with a count of its own for each
            blocks = prod(size or 1 for axis, size in enumerate(self._grid) if axis in axes)
        return float(self._launch.launch.warps * blocks)

    def iterations(self, block: Block) -> float:
        """How often a warp comes to a block of the code."""
        nest = self._flow.loop_nest(block)
        trips = (self._known_trips(nest[depth:]) for depth in range(len(nest)))
        return prod(self._usual if each is None else each for each in trips)

    def trips(self, block: Block) -> float:
        """How often the innermost loop around a block of the code iterates, once at least."""
        nest = self._flow.loop_nest(block)
        known = self._known_trips(nest) if nest else 1.0
        return self._usual if known is None else max(known, 1.0)

    def issue_slots(self) -> float:
        """Instructions that all warps issue, every branch taken."""
        return sum(
            self._instructions(block) * self.executions(block)
            for block in self._launch.facts.kernel.blocks
        )

    def _instructions(self, block: Block) -> float:
        """How many instructions a block of the code is, as far as it can be told."""
        nest = self._flow.loop_nest(block)
        trips = self._known_trips(nest) if nest else None
        integer = _INTEGER if trips is None or trips > _UNROLLED else 0.0
        count = 0.0
        for operation in block.operations:
            if isinstance(operation, MemoryAccess):
                # An array of one thread is in registers, where the loops over it are unrolled.
                count += self._launch.facts.points_to.spaces(operation) != {Space.LOCAL}
            elif operation.type.kind is Kind.FLOAT and operation.opcode not in _FREE:
                count += 0.5 if operation.opcode in _HALVES else 1.0
            elif operation.opcode not in _FREE:
                count += integer
        return count

    def _known_trips(self, nest: Sequence[Loop]) -> float | None:
        """The mean trip count of the first, the innermost, of these loops; None if not known."""
        header = nest[0].header
        if header not in self._trips:
            self._trips[header] = self._counted(nest)
        return self._trips[header]

    def _counted(self, nest: Sequence[Loop]) -> float | None:
        known = self._launch.facts.compile_time.at_most(nest[0])
        if known:
            return float(known)
        alone = _iterations_of(self._launch, 0, nest[:1])
        if alone:
            return float(alone)
        common = self._mean_trips([(self._launch, 0)], nest)
        if common is None and self._places is None:
            self._places = self._few_places()
        return common or self._mean_trips(self._places or [], nest)

    def _few_places(self) -> list[tuple[TrafficLaunch, int]]:
        """The first and the last warp of a few blocks: a loop's trip count may differ in each."""
        grid = tuple(size for size in self._launch.launch.grid if size is not None)
        if len(grid) < len(self._launch.launch.grid) or not self._launch.launch.trusted:
            return []
        places = {(prod(grid) - 1) * third // 3 for third in range(4)}
        blocks = [self._launch.within(_block_at(place, grid)) for place in sorted(places)]
        warps = {0, self._launch.launch.warps - 1}
        return [(block, warp) for block in blocks for warp in sorted(warps)]

    def _mean_trips(
        self, places: list[tuple[TrafficLaunch, int]], nest: Sequence[Loop]
    ) -> float | None:
        """How often the first loop goes round each time that the others do; None if not known."""
        inner = [_iterations_of(launch, warp, nest) for launch, warp in places]
        if None in inner:
            return None
        outer = [_iterations_of(launch, warp, nest[1:]) for launch, warp in places]
        known = [number for number in outer if number is not None]
        rounds = sum(number for number in inner if number is not None)
        return rounds / sum(known) if rounds and len(known) == len(outer) else None


def _iterations_of(launch: TrafficLaunch, warp: int, nest: Sequence[Loop]) -> int | None:
    """How often the bodies of some loops run in a warp, all of them together."""
    if not nest:
        return 1
    found = launch.iterations(warp, nest)
    if found is not None and found.complete:
        return found.count
    total = 1
    for loop in nest:
        trips = counted_trips(launch, warp, loop)
        if trips is None:
            return None
        total *= trips
    return total


def _block_at(place: int, grid: tuple[int, ...]) -> Box:
    """A block by its number in the grid, x first."""
    box = []
    for size in grid:
        box.append((place % size, place % size))
        place //= size
    return tuple(box)


class _Traffic:
    """The costs of the accesses of one launch."""

    def __init__(self, launch: TrafficLaunch, weights: Weights, reuse: SectorReuse) -> None:
        self.launch = launch
        self.weights = weights
        self._reuse = reuse

    def costs(self, row: CountedAccess) -> Iterator[AccessCost]:
        """Of each memory that an access goes to."""
        if row.never:
            return
        if row.reason:
            yield self._unknown(row)
            return
        if row.shared is not None:
            yield self._side(row, row.shared)
        if row.global_side is not None:
            yield self._side(row, row.global_side)

    def _side(self, row: CountedAccess, side: Side) -> AccessCost:
        known = self.weights.knows_executions(row.access.block) and not side.outcome.assumed
        return replace(self._side_cost(row, side), sampled=side.totals is None and known)

    def _side_cost(self, row: CountedAccess, side: Side) -> AccessCost:
        access, totals, outcome = row.access, side.totals, side.outcome
        if totals is not None:
            executions, units, ideal = float(totals.warps), float(totals.units), float(totals.ideal)
        else:
            executions, units, ideal = self._estimated(row, outcome)
        rounds = self.weights.rounds_left(access)
        executions, units, ideal = executions / rounds, units / rounds, ideal / rounds
        counted = totals is not None and rounds == 1.0
        if isinstance(outcome, SharedAccess):
            return _wavefronts(access, units, ideal, counted=counted)
        lines = sum(sample.use.lines for sample in outcome.samples) / max(1, outcome.sectors)
        own = outcome.worst.use.bytes_per_sector
        kept = own / max(own, self._reuse.of(outcome).bytes_per_sector)
        shared_by = self._blocks_alike(access) * _warps_alike(outcome)
        return _sectors(
            access, units, ideal, executions, counted=counted, lines=lines, kept=kept, by=shared_by
        )

    def _estimated(
        self, row: CountedAccess, outcome: SharedAccess | GlobalAccess
    ) -> tuple[float, float, float]:
        """Executions by warps, units and ideal units, by the mean of what was looked at."""
        access, samples = row.access, outcome.samples
        executions = self.weights.executions(access.block)
        if not self.weights.are_counted(access.block):
            executions *= len({sample.warp for sample in samples}) / outcome.looked
        if is_reused(row.launch, access):
            executions = 0.0
        if isinstance(outcome, SharedAccess):
            units = outcome.wavefronts
            if outcome.counts is False:
                executions = 0.0
            elif outcome.counts is None and access.width:
                executions *= access.width / outcome.width
        else:
            units = outcome.sectors
        mean = executions / len(samples)
        return executions, units * mean, outcome.ideal * mean

    def _unknown(self, row: CountedAccess) -> AccessCost:
        access = row.access
        executions = self.weights.executions(access.block)
        width = min(access.width or 4, 16)
        if row.space is Space.SHARED:
            passes = executions * max(1, WARP * width // 128)
            return _wavefronts(access, passes, passes, counted=False)
        ideal = max(1, WARP * width // SECTOR_BYTES)
        apart = row.reason == LOADED or row.reason.startswith(UNKNOWN_STRIDE)
        units = executions * (max(WARP, ideal) if apart else ideal)
        return _sectors(
            access,
            units,
            executions * ideal,
            executions,
            counted=False,
            lines=1.0 if apart else 1 / _LINE,
            kept=1.0,
            by=self._blocks_alike(access),
        )

    def _blocks_alike(self, access: MemoryAccess) -> int:
        """How many blocks go to the same place."""
        launch = self.launch
        axes = block_axes(launch, [access.address])
        others = {axis: size for axis, size in enumerate(launch.launch.grid) if axis not in axes}
        unknown = sum(
            size is None and BLOCK_INDEX[axis] in launch.facts.registers
            for axis, size in others.items()
        )
        return prod(size or 1 for size in others.values()) * int(USUAL_TRIPS**unknown)


def _wavefronts(access: MemoryAccess, units: float, ideal: float, *, counted: bool) -> AccessCost:
    resource = Resource.WAVEFRONTS
    return AccessCost(access, resource, units, ideal, counted, {resource: units}, {resource: ideal})


def _sectors(
    access: MemoryAccess,
    units: float,
    ideal: float,
    executions: float,
    *,
    counted: bool,
    lines: float,
    kept: float,
    by: float,
) -> AccessCost:
    """`lines` of L1 for each sector that is asked for, of which `kept` are moved, `by` so many."""
    uses = {
        Resource.SECTORS: units * kept,
        Resource.WAVEFRONTS: units * lines,
        Resource.MEMORY: units * kept / by,
    }
    needs = {
        Resource.SECTORS: min(ideal, units * kept),
        Resource.WAVEFRONTS: min(max(ideal / _LINE, executions), units * lines),
        Resource.MEMORY: min(ideal, units * kept) / by,
    }
    return AccessCost(access, Resource.SECTORS, units, ideal, counted, uses, needs)


def _warps_alike(outcome: GlobalAccess) -> float:
    """How many warps of a block go to the same place."""
    starts: dict[int, tuple[object, ...]] = {}
    for sample in outcome.samples:
        starts.setdefault(sample.warp, (sample.start, sample.shift))
    return len(starts) / len(set(starts.values()))
