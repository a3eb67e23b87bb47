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
from ...ir.operations import Opcode
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
    from ...ir.operations import MemoryAccess
    from ..dataflow.control_flow import Loop
    from .access_table import CountedAccess, Side
    from .facts import TrafficLaunch

USUAL_TRIPS = 16  # of a loop whose trip count nobody knows
_FREE = frozenset({Opcode.PHI, Opcode.CONVERT})  # mostly no instruction of their own


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
    costs = tuple(cost for row in counted_accesses(launch) for cost in _costs(row, weights))
    used: dict[Resource, float] = {Resource.ISSUE_SLOTS: weights.issue_slots()}
    for cost in costs:
        used[cost.resource] = used.get(cost.resource, 0.0) + cost.units
    return KernelCost(costs, used, throughput(launch.facts.architecture))


class Weights:
    """How often the blocks of a kernel's code are executed in a launch."""

    def __init__(self, launch: TrafficLaunch) -> None:
        self._launch = launch
        self._flow = launch.facts.flow
        grid = launch.launch.grid
        self._blocks = 1 if None in grid else prod(size or 1 for size in grid)
        self._trips: dict[Block, float] = {}

    def warps(self) -> float:
        """The warps of the launch."""
        return float(self._launch.launch.warps * self._blocks)

    def iterations(self, block: Block) -> float:
        """How often a warp comes to a block of the code."""
        nest = self._flow.loop_nest(block)
        return prod(self._trips_of(nest[: depth + 1]) for depth in range(len(nest)))

    def issue_slots(self) -> float:
        """Instructions that all warps issue, every branch taken."""
        operations = 0.0
        for block in self._launch.facts.kernel.blocks:
            own = sum(operation.opcode not in _FREE for operation in block.operations)
            operations += own * self.iterations(block)
        return operations * self.warps()

    def _trips_of(self, nest: Sequence[Loop]) -> float:
        """The mean trip count of the innermost of these loops."""
        loop = nest[-1]
        if loop.header not in self._trips:
            self._trips[loop.header] = self._counted(nest) or float(USUAL_TRIPS)
        return self._trips[loop.header]

    def _counted(self, nest: Sequence[Loop]) -> float | None:
        known = self._launch.facts.compile_time.iterations(nest[-1])
        if known:
            return float(known)
        inner = self._launch.iterations(0, nest)
        outer = self._launch.iterations(0, nest[:-1]) if nest[1:] else None
        if inner is None or not inner.complete or not inner.iterations:
            return None
        around = len(outer.iterations) if outer is not None and outer.complete else 1
        return None if nest[1:] and outer is None else len(inner.iterations) / max(1, around)


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
    assert access.block is not None
    looked = len(set(row.launch.warps()))
    present = len({sample.warp for sample in samples}) / looked
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
    assert access.block is not None
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
