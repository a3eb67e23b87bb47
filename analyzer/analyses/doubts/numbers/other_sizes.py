"""Conflicts that other sizes do not show.

In: two threads that meet at a place in which an assumed number has a part. Out: whether they do not
in another scenario that comes to both accesses. Of a block, those are the ones it was run in; where
only small sizes show it, these must be all that a guard lets through (`block_shape/size_guards.py`)
and others confirm it, multiples of four among them where a size is halved or quartered: `n / 2`
need not be meant for odd ones. What depends on the size of the grid is also run in a large one. Of
a grid it is one whose blocks lie far apart, as a rule, and sizes that differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Opcode, Operation, unconverted
from ....ir.values import Constant
from ...block_execution.assumed_numbers import SizeScenario
from ...block_execution.launch_values import lies_by_grid
from ...conflicts.block_runs import assumes
from ...dataflow.slices import backward_slice
from ..question.candidates import GridCandidate
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import AnyCandidate, BlockCandidate

_SCENARIOS = (SizeScenario.APART, SizeScenario.DIFFERENT, SizeScenario.ODD)
_DIVISIONS = frozenset({Opcode.DIV, Opcode.SHR})
_DIFFERING = (SizeScenario.DIFFERENT, SizeScenario.ODD)


def _do_not_meet_always(candidate: AnyCandidate) -> bool:
    if isinstance(candidate, GridCandidate):
        return not _blocks_meet(candidate)
    context = candidate.context
    placed = (each for each in candidate.accesses if each not in context.tracked.unplaced)
    if not any(context.program.depends_on_assumed(access.address) for access in placed):
        return False
    return not _threads_meet(candidate)


def _threads_meet(candidate: BlockCandidate) -> bool:
    """Whether a conflict shows in every scenario, or for all sizes that guards let through."""
    context, pair = candidate.context, candidate.accesses
    if not assumes(context.runs.scenarios[0]):
        return True  # what is loaded, the block has stored itself
    if any(lies_by_grid(each.address) for each in pair) and pair not in context.wide.seen.found:
        return False  # as far apart as a larger grid is wide
    both = [run for run in context.runs.scenarios if set(pair) <= run.seen.executed]
    if len(both) > 1 and all(pair in run.seen.found for run in both):
        # Where the work was too much with different sizes, small ones that differ must do.
        differ = any(run.scenario in _DIFFERING for run in both)
        return differ or pair in context.uneven.seen.found
    small = [run for run in both if run.scenario is SizeScenario.SMALL]
    if not small or pair not in small[0].seen.found or not context.guards.hold(*pair):
        return False
    if pair not in context.uneven.seen.found:
        return False
    if not _takes_parts(candidate):
        return True
    whole = context.fourfold.seen
    return pair in whole.found or not set(pair) <= whole.executed


def _blocks_meet(candidate: GridCandidate) -> bool:
    """Whether two blocks meet whatever the sizes, as far as that was tried."""
    pair, grid = candidate.accesses, candidate.grid
    if candidate.run.scenario is SizeScenario.SMALL:
        if pair not in grid.run(SizeScenario.UNEVEN).found:
            return False
        if not _takes_parts(candidate):
            return True
        whole = grid.run(SizeScenario.FOURFOLD)
        return pair in whole.found or not all(map(whole.executes, pair))
    program = candidate.context.program
    if not any(program.depends_on_assumed(access.address) for access in pair):
        return True
    if pair not in grid.run(SizeScenario.APART).found:
        return False  # blocks whose parts overlap only if their distance is too small
    others = map(grid.run, _SCENARIOS)
    return all(pair in other.found for other in others if all(map(other.executes, pair)))


def _takes_parts(candidate: AnyCandidate) -> bool:
    """Whether the kernel divides a size that nobody states by a constant, on the way to a place."""
    program = candidate.context.program
    return any(
        isinstance(each, Operation)
        and each.opcode in _DIVISIONS
        and isinstance(each.operands[1], Constant)
        and program.is_assumed(unconverted(each.operands[0]))
        for access in candidate.accesses
        for each in backward_slice(access.address, *program.flow.conditions(access.block))
    )


DOUBT = Doubt(
    "other-sizes",
    Effect.POSSIBLE,
    "the two threads only meet for some of the sizes that were tried",
    _do_not_meet_always,
)
