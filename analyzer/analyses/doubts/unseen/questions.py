"""What every doubt about headers that were not found asks of a candidate.

In: two threads in conflict, or a decision before a barrier. Out: the operations between which
something may be changed: the two accesses, all of the loop between whose iterations they differ, or
the decision and the barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ..question.candidates import BlockCandidate, GridCandidate
from .stretches import stretch

if TYPE_CHECKING:
    from ....ir.operations import Operation
    from ....source.text import Span
    from ...dataflow.control_flow import Loop
    from ..barriers.candidates import ExitCandidate, SplitCandidate
    from ..question.candidates import AnyCandidate


def operations_of(candidate: AnyCandidate | SplitCandidate | ExitCandidate) -> list[Operation]:
    """The operations between which a header that was not found may change what a candidate says."""
    if not isinstance(candidate, BlockCandidate | GridCandidate):
        return [candidate.edge.branch.terminator, candidate.barrier]
    loop = _shared_loop(candidate)
    inside = () if loop is None else (each for b in loop.blocks for each in b.operations)
    return [*candidate.accesses, *inside]


def stretch_of(candidate: AnyCandidate | SplitCandidate | ExitCandidate) -> Span | None:
    """The source between a candidate's operations, where an unseen header may change something:
    that of a loop is the same for all candidates in it.
    """
    if not isinstance(candidate, BlockCandidate | GridCandidate):
        return stretch(*operations_of(candidate))
    loop = _shared_loop(candidate)
    if loop is None:
        return stretch(*operations_of(candidate))
    known = candidate.context.stretches
    if loop not in known:
        known[loop] = stretch(*operations_of(candidate))
    return known[loop]


def _shared_loop(candidate: AnyCandidate) -> Loop | None:
    """The loop between whose iterations two accesses differ, with both inside."""
    if candidate.kind is not RaceKind.BARRIER_IN_LOOP:
        return None
    flow, (first, second) = candidate.context.program.flow, candidate.accesses
    others = flow.loop_nest(second.block)
    return next((loop for loop in flow.loop_nest(first.block) if loop in others), None)
