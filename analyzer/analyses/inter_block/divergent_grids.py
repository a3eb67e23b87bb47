"""Barriers of the grid that some of its blocks do not reach.

In: a kernel's facts. Out: for each such barrier the decision before it, a block that arrives and
one that does not. The decision is evaluated for the first block, its neighbours and the last one,
and may depend on blockIdx, gridDim and numbers, on nothing that is assumed. Blocks that have
returned are waited for like all others. Silent where the other way comes to a barrier of the grid
as well. Not handled: decisions that differ in a block (`barrier_divergence.py`), later iterations
of loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Barrier, BarrierKind
from ...ir.values import Special
from ...source.records import dataclass
from ..dataflow.block_sets import reached
from ..warp_evaluation.example_numbers import Example
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ..dataflow.control_flow import ControlEdge
    from ..launch.assumed_launch import AssumedLaunch
    from .facts import OrderFacts, OrderLaunch

_NUMBER = 100  # for what has no number: an example that asks for it is not used


@dataclass(frozen=True, slots=True)
class DivergentGrid:
    """A barrier of the grid, the decision before it, and two blocks that it parts."""

    barrier: Barrier
    edge: ControlEdge
    launch: AssumedLaunch
    arrives: Dimensions
    misses: Dimensions


def divergent_grids(facts: OrderFacts) -> Iterator[DivergentGrid]:
    """The barriers of the grid that some blocks do not reach, each once, in program order."""
    for operation in facts.every(Barrier):
        if operation.kind is BarrierKind.GRID:
            found = (each for launch in facts.launches for each in _parted(launch, operation))
            first = next(found, None)
            if first is not None:
                yield first


def _parted(launch: OrderLaunch, barrier: Barrier) -> Iterator[DivergentGrid]:
    for edge in launch.facts.flow.controlling_edges(barrier.block):
        level = launch.uniformity.of_branch(edge.branch)
        if level is not Uniformity.BLOCK or _others_arrive(edge):
            continue
        ways = {index: _takes(launch, edge, index) for index in _blocks(launch)}
        arriving = [index for index, takes in ways.items() if takes]
        missing = [index for index, takes in ways.items() if takes is False]
        if arriving and missing and None not in ways.values():
            yield DivergentGrid(barrier, edge, launch.launch, arriving[0], missing[0])


def _others_arrive(edge: ControlEdge) -> bool:
    """Whether the other way may come to a barrier of the grid."""
    ahead: set[Block] = reached(edge.others)
    return any(
        isinstance(operation, Barrier) and operation.kind is BarrierKind.GRID
        for block in ahead
        for operation in block.operations
    )


def _blocks(launch: OrderLaunch) -> list[Dimensions]:
    """The first block, the next one along each axis, and the last one."""
    sizes = [2 if size is None else size for size in launch.launch.grid]
    found: list[Dimensions] = [(0, 0, 0)]
    for axis, size in enumerate(sizes):
        if size > 1:
            x, y, z = (int(axis == other) for other in range(3))
            found.append((x, y, z))
    x, y, z = (size - 1 for size in sizes)
    return list(dict.fromkeys([*found, (x, y, z)]))


def _takes(launch: OrderLaunch, edge: ControlEdge, index: Dimensions) -> bool | None:
    """Whether a block takes an edge; None where that depends on anything but the grid."""
    example = Example(_NUMBER, 0, index)
    evaluator = example.evaluator(launch, 0, edge.branch)
    guards = launch.guards(evaluator)
    before, taken = guards.of(edge.branch), guards.taken(edge)
    if taken is None or before.assumed or not all(isinstance(n, Special) for n in example.used):
        return None
    return all(before.mask) and taken[0]
