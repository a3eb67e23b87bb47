"""Which block is run where the first one does not stand for all of them.

It does not where it does not come to an access, `if (blockIdx.x > 0)`, and where an access to
shared memory, which each block has for itself, goes elsewhere in another block: `tile[i]` with
`i = blockIdx.x * blockDim.x + threadIdx.x`.
In: accesses. Out: the parts of blockIdx that decide who comes to them, or where in shared memory
they go. In: the grid, such axes, and a scenario. Out: the index of the second block along these
axes, or of the last one. Where the launch does not say how long an axis is, there are as many
blocks as are assumed for it. Not handled: blocks between these, where others stay inside an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ..block_execution.assumed_numbers import GRID, SizeScenario
from ..block_execution.launch_values import BLOCK_INDEX, is_block_index
from ..dataflow.deciding_slices import deciding_slice
from ..dataflow.slices import registers_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.kernel import Dimensions, PartialDimensions
    from ...ir.operations import MemoryAccess
    from ...ir.values import Special
    from ..block_execution.facts import BlockFacts
    from ..dataflow.control_flow import ControlFlow

FIRST: Dimensions = (0, 0, 0)


def deciding_axes(flow: ControlFlow, accesses: Iterable[MemoryAccess]) -> set[Special]:
    """The parts of blockIdx that decide which blocks come to accesses that may conflict."""
    blocks = {access.block for access in accesses}
    conditions = {condition for block in blocks for condition in flow.conditions(block)}
    return registers_in(*conditions).intersection(BLOCK_INDEX) if conditions else set()


def placing_axes(facts: BlockFacts, accesses: Iterable[MemoryAccess]) -> set[Special]:
    """The parts of blockIdx that decide where accesses to shared memory go in it."""
    shared = (each for each in accesses if facts.points_to.spaces(each) == {Space.SHARED})
    made = deciding_slice(facts.flow, *(each.address for each in shared))
    return {each.register for each in made if is_block_index(each)}


def other_block(grid: PartialDimensions, axes: set[Special], scenario: SizeScenario) -> Dimensions:
    """The block of the grid to run for conflicts instead of the first one; the first where there is
    no other.
    """
    last = [
        max((GRID if size is None else size) - 1, 0) if axis in axes else 0
        for axis, size in zip(BLOCK_INDEX, grid, strict=True)
    ]
    x, y, z = last if scenario is SizeScenario.LAST_BLOCK else [min(each, 1) for each in last]
    return x, y, z
