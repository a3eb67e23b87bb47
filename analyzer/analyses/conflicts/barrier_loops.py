"""Loops with a barrier that lie between two accesses: without an iteration, nothing orders them.

In: the control flow of a kernel and two accesses. Out: the loops around barriers of the block, not
around both accesses, through whose head a path leads from the first access to the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dataflow.alternative_paths import meets_all
from ..dataflow.paths import can_reach

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ..dataflow.control_flow import ControlFlow, Loop


def barrier_loops_between(
    flow: ControlFlow, first: MemoryAccess, second: MemoryAccess
) -> list[Loop]:
    """The loops with a barrier between two accesses, each once: without an iteration, nothing
    orders the accesses.
    """
    return [
        loop
        for loop in flow.loops
        if not {first.block, second.block} <= loop.blocks
        and can_reach(flow, first, loop.header.terminator)
        and can_reach(flow, loop.header.terminator, second)
        and any(meets_all(each) for block in loop.blocks for each in block.operations)
    ]
