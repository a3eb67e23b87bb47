"""Barriers in loops that run no iteration for a size that was chosen as an example.

In: two threads of a block. Out: whether a barrier between the two accesses stands in a loop whose
number of iterations depends on an assumed number, and the two do not meet for other numbers, as far
as those were followed: they only do because the loop is left out, as `for (i = 0; i < n / 32; i++)`
is for a small `n`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.barrier_loops import barrier_loops_between
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ...conflicts.block_runs import BlockRun
    from ..question.candidates import BlockCandidate


def _is_left_out(candidate: BlockCandidate) -> bool:
    context, pair = candidate.context, candidate.accesses
    assumed = context.program.depends_on_assumed
    loops = barrier_loops_between(context.program.flow, *pair)
    if not any(assumed(each) for loop in loops for each in loop.header.terminator.operands[:1]):
        return False
    others = (run for run in context.runs.scenarios if pair not in run.seen.found)
    return any(_may_come(run, pair) for run in others)


def _may_come(run: BlockRun, pair: tuple[MemoryAccess, MemoryAccess]) -> bool:
    """Whether a run came to both accesses, or ended before it could."""
    return bool(run.outcome.stopped) or set(pair) <= run.seen.executed


DOUBT = Doubt(
    "loop-not-entered",
    Effect.POSSIBLE,
    "the barrier between the two is in a loop that an example size leaves without any iteration",
    _is_left_out,
)
