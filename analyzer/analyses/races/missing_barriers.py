"""Where missing barriers must stand, tried out before they are proposed.

In: races of a block. Out: for each a `Placement`: the operation before which a barrier orders its
two accesses, or none: a barrier of the block, or of the warp for lanes of one. Places are in
uniform control flow: before the second access, or before the decisions that not all threads take
alike; for a race between iterations of a loop at the end of its body, for lanes also before the
second access.
The block is run again with the barrier in place: the race must be gone, and no thread may miss the
barrier. A kernel with very many races is not run for each of them, and neither is what must be so:
a barrier right before the second access, all threads coming there, stands between the two.

In the source the place may be less than a line: where the earlier access is a part of what a branch
decides on, the barrier belongs between the condition and the branch (`is_after_head`). Where both
accesses stand behind a decision that not all threads take alike, there is no place for a barrier
before the decision is split in two (`splits`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Branch, Jump, Switch
from ...source.records import dataclass
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


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the missing barrier goes that orders the two accesses of a race."""

    race: Race
    before: Operation | None  # None: it has no place as the code stands
    splits: Branch | Switch | None = None  # the decision that must be split in two to make one

    @property
    def is_after_head(self) -> bool:
        """Whether the earlier access is a part of what the operation decides on, as in
        `if (s[i] > 0)`: before the statement the barrier is too early.
        """
        place, first = self.before, self.race.conflict.first.access.location
        if self.race.loop is not None or not isinstance(place, Branch | Switch | Jump):
            return False  # between iterations the barrier ends the body
        spans = (first.span, *(site.span for site in first.call_chain()))
        return any(place.location.span.covers(span) for span in spans)


def placements(group: RaceGroup) -> list[Placement]:
    """The places of the missing barriers that order all races of a group, none for those that
    another one orders; one that has none ends it.
    """
    found: list[Placement] = []
    for number, race in enumerate(group.races):
        if any(each.before is not None and _orders(each.before, race) for each in found):
            continue
        place = barrier_place(race.races, race, tried=number == 0)
        found.append(Placement(race, place, None if place is not None else _splitting(race)))
        if place is None:
            break
    return found


def _orders(place: Operation, race: Race) -> bool:
    """Whether a barrier before an operation stands between the accesses of a race, in the block of
    the later one.
    """
    first, second = race.candidate.accesses
    if race.loop is not None or place.block is not second.block:
        return False
    order = {operation: at for at, operation in enumerate(second.block.operations)}
    ends = order[place] <= order[second]
    return ends and (first.block is not second.block or order[first] < order[place])


def barrier_place(races: BlockRaces, race: Race, *, tried: bool = True) -> Operation | None:
    """The operation that the barrier missing in a race must stand before; `tried`: even where it is
    sure to help.
    """
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


def _splitting(race: Race) -> Branch | Switch | None:
    """The outermost decision around both accesses that not all threads take alike."""
    flow, uniformity = race.races.program.flow, race.races.launch.uniformity
    level = _level(race)
    around = [
        {edge.branch for edge in flow.controlling_edges(access.block)}
        for access in race.candidate.accesses
    ]
    shared = [b for b in set.intersection(*around) if uniformity.of_branch(b) > level]
    first = min(shared, key=lambda block: block.index, default=None)
    last = None if first is None else first.terminator
    return last if isinstance(last, Branch | Switch) else None


def _level(race: Race) -> Uniformity:
    """Who must come to a barrier: the lanes of a warp, or all threads of the block."""
    return Uniformity.WARP if race.kind is RaceKind.WARP_BARRIER else Uniformity.BLOCK


def _candidates(races: BlockRaces, race: Race) -> Iterator[Operation]:
    first, second = race.candidate.accesses
    level = _level(race)
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
