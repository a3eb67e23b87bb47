"""Blocks that no thread of a launch comes to, whatever its arguments are.

In: a launch and a block. Out: whether a decision before it that depends on the block's shape alone
sends every warp another way: `if (blockDim.y > 1)` in a block of one row, a loop around it that is
left before its first iteration, `for (s = blockDim.y / 2; s > 0; s /= 2)`, or one whose iterations
are all known and none of which comes to it. The same of one side of a decision. What an argument or
memory decides counts as open. Not handled: a loop of unknown trip count whose test takes more than
its header.
"""

from __future__ import annotations

from operator import and_
from typing import TYPE_CHECKING

from ..dataflow.control_flow import ControlEdge
from .loop_iterations import first_iteration

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ...ir.block import Block
    from ..dataflow.control_flow import Loop
    from .facts import WarpLaunch


def is_never_reached(launch: WarpLaunch, block: Block) -> bool:
    """Whether every warp of the launch is known to pass a block of code by, in every iteration of
    its loops.
    """
    if block not in launch.never_reached:
        launch.never_reached[block] = _is_passed_by(launch, block)
    return launch.never_reached[block]


def _is_passed_by(launch: WarpLaunch, block: Block) -> bool:
    loops = launch.facts.flow.loop_nest(block)
    return all(
        _passes(launch, warp, block)
        or any(_leaves_at_once(launch, warp, loop) for loop in loops if loop.header is not block)
        or (bool(loops) and _in_no_iteration(launch, warp, block, loops))
        for warp in range(launch.launch.warps)
    )


def is_never_taken(launch: WarpLaunch, edge: ControlEdge) -> bool:
    """Whether all threads of the launch that come to a decision are known to go another way than
    this edge.
    """
    for warp in range(launch.launch.warps):
        guards = launch.guards(launch.unnumbered_evaluator(warp))
        taken = guards.taken(edge)
        if taken is None or any(map(and_, guards.of(edge.branch).mask, taken)):
            return False
    return True


def _passes(launch: WarpLaunch, warp: int, block: Block) -> bool:
    evaluator = launch.unnumbered_evaluator(warp)
    return not any(launch.guards(evaluator).of(block).mask)


def _leaves_at_once(launch: WarpLaunch, warp: int, loop: Loop) -> bool:
    """Whether the test in a loop's header lets nobody in, from whatever iteration of the outer
    ones.
    """
    bound = first_iteration(launch.unnumbered_evaluator(warp), loop)
    guards = launch.guards(launch.new_evaluator(warp, _nothing, bound))
    taken = [
        guards.taken(ControlEdge(loop.header, target))
        for target in loop.header.successors
        if target in loop.blocks
    ]
    return all(mask is not None and not any(mask) for mask in taken)


def _in_no_iteration(launch: WarpLaunch, warp: int, block: Block, loops: Sequence[Loop]) -> bool:
    """Whether the iterations are known, and none of them comes to the block."""
    found = launch.iterations(warp, loops)
    if found is None or not found.complete or launch.facts.budget.used_up:
        return False
    return not any(each.guards is None or any(each.guards.of(block).mask) for each in found.each)


def _nothing(_: Hashable) -> None:
    """No number for what the launch does not say."""
