"""Where missing barriers must stand, tried out before they are proposed.

In: races of a block. Out: for each the operation before which a barrier orders its two accesses, or
None: a barrier of the block, or of the warp for lanes of one. Places are in uniform control flow:
before the second access, or before the decisions that not all threads take alike; for a race
between iterations of a loop at the end of its body, for lanes also before the second access.
The block is run again with the barrier in place: the race must be gone, and no thread may miss the
barrier. A kernel with very many races is not run for each of them, and neither is what must be so:
a barrier right before the second access, all threads coming there, stands between the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..block_execution.run_context import Changes
from ..conflicts.race_kinds import RaceKind
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import Operation
    from ..dataflow.control_flow import ControlFlow
    from .block_races import BlockRaces
    from .race import Race
    from .race_groups import RaceGroup


def barrier_places(group: RaceGroup) -> list[tuple[Race, Operation]]:
    """The places of the barriers that order all races of a group; none when one has no place."""
    places: list[tuple[Race, Operation]] = []
    for number, race in enumerate(group.races):
        place = barrier_place(race.races, race, tried=number == 0)
        if place is None:
            return []
        places.append((race, place))
    return places


def barrier_place(races: BlockRaces, race: Race, *, tried: bool = True) -> Operation | None:
    """The operation that a barrier must stand before; `tried`: even where it is sure to help."""
    key = race.candidate.accesses
    run = next(run for run in races.runs.all if key in run.seen.found)
    by_warps = race.kind is RaceKind.WARP_BARRIER
    for operation in _candidates(races, race):
        if operation is race.conflict.second.access and (not tried or races.trials <= 0):
            return operation
        if races.trials <= 0:
            break
        races.trials -= 1
        here = frozenset({operation})
        changes = Changes(before_by_warps=here) if by_warps else Changes(before=here)
        changed = races.runs.again(run.scenario, changes, key)
        if key not in changed.seen.found and changed.outcome.stopped == run.outcome.stopped:
            return operation
    return None


def _candidates(races: BlockRaces, race: Race) -> Iterator[Operation]:
    first, second = race.candidate.accesses
    assert second.block is not None
    level = Uniformity.WARP if race.kind is RaceKind.WARP_BARRIER else Uniformity.BLOCK
    if race.loop is not None:
        if level is Uniformity.WARP and _is_uniform(races, second.block, level):
            yield second
        for latch in race.loop.latches:
            if _is_uniform(races, latch, level):
                yield latch.terminator
        return
    flow = races.program.flow
    block: Block | None = second.block
    for loop in flow.loop_nest(second.block):
        if first.block not in loop.blocks:  # once before the loop will do
            block = _above(flow, loop.header)
    while block is not None and not _is_uniform(races, block, level):
        block = _above(flow, block)
    if block is not None:
        yield second if block is second.block else block.terminator


def _above(flow: ControlFlow, block: Block) -> Block | None:
    """The block that control passes last on every way to this one."""
    parent = flow.dominators.parent[block.index]
    return flow.blocks[parent] if parent != block.index else None


def _is_uniform(races: BlockRaces, block: Block, level: Uniformity) -> bool:
    """Whether all threads of the block, or of the warp, come here, or none."""
    uniformity = races.launch.uniformity
    return all(
        uniformity.of_branch(edge.branch) <= level
        for edge in races.program.flow.controlling_edges(block)
    )
