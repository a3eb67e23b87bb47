"""Where a missing barrier must stand, tried out before it is proposed.

In: a race of a block. Out: the operation before which a barrier of the block orders the two
accesses, or None. Places are in uniform control flow: before the second access, or before the
decisions that not all threads take alike; for a race between rounds of a loop at the end of its
body. The block is run again with the barrier in place: the race must be gone, and no thread may
miss the barrier. A kernel with very many races is not run for each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .block_scene import Changes
from .uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ir.block import Block
    from ..ir.operations import Operation
    from .control_flow import ControlFlow
    from .races import BlockRaces, Race


def barrier_place(races: BlockRaces, race: Race) -> Operation | None:
    """The operation that a barrier must stand before."""
    key = (race.conflict.first.access, race.conflict.second.access)
    run = next(run for run in races.runs if key in run.seen.found)
    for operation in _candidates(races, race):
        if races.trials <= 0:
            break
        races.trials -= 1
        changed = races.run_again(run.course, Changes(before=frozenset({operation})), key)
        if key not in changed.seen.found and changed.outcome.stopped == run.outcome.stopped:
            return operation
    return None


def _candidates(races: BlockRaces, race: Race) -> Iterator[Operation]:
    first, second = race.conflict.first.access, race.conflict.second.access
    if race.loop is not None:
        for latch in race.loop.latches:
            if _is_uniform(races, latch):
                yield latch.terminator
        return
    flow = races.program.flow
    assert second.block is not None
    block: Block | None = second.block
    for loop in flow.loop_nest(second.block):
        if first.block not in loop.blocks:  # once before the loop will do
            block = _above(flow, loop.header)
    while block is not None and not _is_uniform(races, block):
        block = _above(flow, block)
    if block is not None:
        yield second if block is second.block else block.terminator


def _above(flow: ControlFlow, block: Block) -> Block | None:
    """The block that control passes last on every way to this one."""
    parent = flow.dominators.parent[block.index]
    return flow.blocks[parent] if parent != block.index else None


def _is_uniform(races: BlockRaces, block: Block) -> bool:
    """Whether all threads of the block come here, or none."""
    uniformity = races.launch.uniformity
    return all(
        uniformity.of_branch(edge.branch) <= Uniformity.BLOCK
        for edge in races.program.flow.controlling_edges(block)
    )
