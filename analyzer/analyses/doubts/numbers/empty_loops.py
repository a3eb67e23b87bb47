"""Barriers in loops that run no iteration for a size that was chosen as an example.

In: two threads of a block. Out: whether a barrier between the two accesses stands in a loop whose
number of iterations depends on an assumed number, and the two do not meet for other numbers, as far
as those were followed: they only do because the loop is left out, as `for (i = 0; i < n / 32; i++)`
is for a small `n`. A loop that something else leads past, whatever the sizes, is no such example,
nor is one that an access stands in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import MemoryAccess
from ....ir.values import Parameter
from ...conflicts.barrier_loops import barrier_loops_between
from ...dataflow.slices import backward_slice
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.block import Block
    from ....ir.values import Value
    from ...conflicts.block_runs import BlockRun
    from ...dataflow.control_flow import Loop
    from ..question.candidates import BlockCandidate


def _is_left_out(candidate: BlockCandidate) -> bool:
    context, pair = candidate.context, candidate.accesses
    assumed = context.program.depends_on_assumed
    loops = [
        loop
        for loop in barrier_loops_between(context.program.flow, *pair)
        if any(map(assumed, loop.header.terminator.operands[:1]))
        and not any(each.block in loop.blocks for each in pair)
    ]
    if all(_leads_past(candidate, loop) for loop in loops):
        return False
    others = (run for run in context.runs.scenarios if pair not in run.seen.found)
    return any(_may_come(run, pair) for run in others)


def _leads_past(candidate: BlockCandidate, loop: Loop) -> bool:
    """Whether a decision skips a loop, and neither of the two accesses, that asks for something
    else than the number of iterations depends on.
    """
    flow = candidate.context.program.flow
    own = {
        edge.branch for each in candidate.accesses for edge in flow.controlling_edges(each.block)
    }
    counted = set(_given(loop.header))
    return any(
        not counted.issuperset(_given(edge.branch))
        for edge in flow.controlling_edges(loop.header)
        if edge.branch not in loop.blocks and edge.branch not in own
    )


def _given(branch: Block) -> Iterator[Value]:
    """The arguments of the kernel and the numbers in memory that a decision asks for."""
    made = backward_slice(branch.terminator.operands[0])
    return (each for each in made if isinstance(each, Parameter | MemoryAccess))


def _may_come(run: BlockRun, pair: tuple[MemoryAccess, MemoryAccess]) -> bool:
    """Whether a run came to both accesses, or ended before it could."""
    return bool(run.outcome.stopped) or set(pair) <= run.seen.executed


DOUBT = Doubt(
    "loop-not-entered",
    Effect.POSSIBLE,
    "the barrier between the two is in a loop that an example size leaves without any iteration",
    _is_left_out,
)
