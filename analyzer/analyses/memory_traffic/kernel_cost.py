"""What a kernel pays with over a launch, and which of its accesses have which share of it.

In: a launch of a kernel. Out: wavefronts in shared memory and sectors of global memory of each
access, and issue slots of the kernel. Where an access is counted over the launch
(`access_totals.py`) its totals are taken; else its mean request, times the warps that execute it,
times the iterations of the loops around it. Loops whose trip counts nobody knows all have the same
usual one, which leaves the shares inside of such a loop as they are. An access that was not
analysed is taken for a coalesced one; where data or an unknown stride sets the lanes apart, for one
sector per lane.
Not handled: how often data lets a branch be taken (always), hits in L1.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...hardware.sectors import SECTOR_BYTES
from ...hardware.throughput import Resource, throughput
from ...ir.memory import Space
from ...ir.operations import MemoryAccess, Opcode
from ...ir.types import Kind
from ...source.records import dataclass
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.load_reuse import is_reused
from ..warp_evaluation.reasons import LOADED, UNKNOWN_STRIDE
from .access_table import counted_accesses
from .shared_accesses import SharedAccess

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...hardware.throughput import Throughput
    from ...ir.block import Block
    from ..dataflow.control_flow import Loop
    from .access_table import CountedAccess, Side
    from .facts import TrafficLaunch

_FEW = 256  # executions that are counted one by one; of more the mean will do
USUAL_TRIPS = 16  # of a loop whose trip count nobody knows
#: What mostly has no instruction of its own, or shares one with what uses it.
_FREE = frozenset({Opcode.PHI, Opcode.CONVERT, Opcode.EXTRACT, Opcode.INSERT})
_HALVES = frozenset({Opcode.MUL, Opcode.ADD, Opcode.SUB})  # of a fused multiply-add
#: Instructions for an operation on integers: compilers move them out of loops and into addresses,
#: and nothing is left of them where a loop is unrolled.
_INTEGER = 0.25
_UNROLLED = 32  # trips that compilers mostly unroll


@dataclass(frozen=True, slots=True)
class AccessCost:
    """What one access uses of one resource; `counted` is False for what is estimated."""

    access: MemoryAccess
    resource: Resource
    units: float
    ideal: float
    executions: float  # by warps
    counted: bool


@dataclass(frozen=True, slots=True)
class KernelCost:
    """All that a launch pays with."""

    costs: tuple[AccessCost, ...]
    used: Mapping[Resource, float]
    machine: Throughput
    weights: Weights

    def of(self, access: MemoryAccess) -> AccessCost | None:
        """The cost of one access; None for one that touches neither memory."""
        return next((cost for cost in self.costs if cost.access is access), None)

    def share(self, resource: Resource, units: float) -> float:
        """Which part of a resource that is."""
        whole = self.used.get(resource, 0.0)
        return min(1.0, units / whole) if whole else 0.0

    def saved(self, resource: Resource, units: float) -> float:
        """Which part of the time goes with so much of a resource."""
        return self.machine.saved(self.used, resource, units)


def kernel_cost(launch: TrafficLaunch) -> KernelCost:
    """The costs of a launch, or of one block of it where the grid is not known."""
    weights = Weights(launch)
    rows = counted_accesses(launch, _FEW)
    costs = tuple(cost for row in rows for cost in _costs(row, weights))
    used: dict[Resource, float] = {Resource.ISSUE_SLOTS: weights.issue_slots()}
    for cost in costs:
        used[cost.resource] = used.get(cost.resource, 0.0) + cost.units
    return KernelCost(costs, used, throughput(launch.facts.architecture), weights)


class Weights:
    """How often the blocks of a kernel's code are executed in a launch."""

    def __init__(self, launch: TrafficLaunch) -> None:
        self._launch = launch
        self._flow = launch.facts.flow
        grid = launch.launch.grid
        self._blocks = 1 if None in grid else prod(size or 1 for size in grid)
        self._trips: dict[Block, float] = {}
        self._known: set[Block] = set()  # the headers of loops whose trip counts are

    def warps(self) -> float:
        """The warps of the launch."""
        return float(self._launch.launch.warps * self._blocks)

    def iterations(self, block: Block) -> float:
        """How often a warp comes to a block of the code."""
        nest = self._flow.loop_nest(block)
        return prod(self._trips_of(nest[depth:]) for depth in range(len(nest)))

    def issue_slots(self) -> float:
        """Instructions that all warps issue, every branch taken."""
        instructions = sum(
            self._instructions(block) * self.iterations(block)
            for block in self._launch.facts.kernel.blocks
        )
        return instructions * self.warps()

    def _instructions(self, block: Block) -> float:
        """How many instructions a block of the code is, as far as it can be told."""
        nest = self._flow.loop_nest(block)
        short = bool(nest) and self._trips_of(nest) <= _UNROLLED and nest[0].header in self._known
        integer = 0.0 if short else _INTEGER
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

    def _trips_of(self, nest: Sequence[Loop]) -> float:
        """The mean trip count of the first, the innermost, of these loops."""
        header = nest[0].header
        if header not in self._trips:
            counted = self._counted(nest)
            self._trips[header] = counted or float(USUAL_TRIPS)
            if counted is not None:
                self._known.add(header)
        return self._trips[header]

    def _counted(self, nest: Sequence[Loop]) -> float | None:
        known = self._launch.facts.compile_time.iterations(nest[0])
        if known:
            return float(known)
        alone = self._iterations_of(nest[:1])
        if alone:
            return float(alone)
        inner, outer = self._iterations_of(nest), self._iterations_of(nest[1:])
        return inner / outer if inner and outer else None

    def _iterations_of(self, nest: Sequence[Loop]) -> int | None:
        """How often the bodies of some loops run in the first warp, all of them together."""
        found = self._launch.iterations(0, nest) if nest else None
        return found.count if found is not None and found.complete else None


def _costs(row: CountedAccess, weights: Weights) -> Iterator[AccessCost]:
    if row.never:
        return
    if row.reason:
        yield _unknown(row, weights)
        return
    if row.shared is not None:
        yield _side(row, row.shared, Resource.WAVEFRONTS, weights)
    if row.global_side is not None:
        yield _side(row, row.global_side, Resource.SECTORS, weights)


def _side(row: CountedAccess, side: Side, resource: Resource, weights: Weights) -> AccessCost:
    access, totals = row.access, side.totals
    if totals is not None:
        return AccessCost(access, resource, totals.units, totals.ideal, totals.warps, True)
    samples = side.outcome.samples
    present = len({sample.warp for sample in samples}) / side.outcome.looked
    executions = weights.warps() * present * weights.iterations(access.block)
    if is_reused(row.launch, access):
        executions = 0.0
    outcome = side.outcome
    if isinstance(outcome, SharedAccess):
        units, ideal = outcome.wavefronts, outcome.ideal
        if outcome.counts is False:
            executions = 0.0
        elif outcome.counts is None and access.width:
            executions *= access.width / outcome.width
    else:
        units, ideal = outcome.sectors, outcome.ideal
    mean = executions / len(samples)
    return AccessCost(access, resource, units * mean, ideal * mean, executions, False)


def _unknown(row: CountedAccess, weights: Weights) -> AccessCost:
    access = row.access
    executions = weights.warps() * weights.iterations(access.block)
    width = min(access.width or 4, 16)
    if row.space is Space.SHARED:
        passes = max(1, WARP * width // 128)
        return AccessCost(
            access, Resource.WAVEFRONTS, executions * passes, executions * passes, executions, False
        )
    ideal = max(1, WARP * width // SECTOR_BYTES)
    apart = row.reason == LOADED or row.reason.startswith(UNKNOWN_STRIDE)
    units = max(WARP, ideal) if apart else ideal
    return AccessCost(
        access, Resource.SECTORS, executions * units, executions * ideal, executions, False
    )
