"""What every doubt about headers that were not found asks of a candidate.

In: two threads in conflict, or a decision before a barrier. Out: the operations between which
something may be changed: the two accesses, all of the loop between whose iterations they differ, or
the decision and the barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ..question.candidates import BlockCandidate, GridCandidate

if TYPE_CHECKING:
    from ....ir.operations import Operation
    from ..barriers.candidates import ExitCandidate, SplitCandidate
    from ..question.candidates import AnyCandidate


def operations_of(candidate: AnyCandidate | SplitCandidate | ExitCandidate) -> list[Operation]:
    """The operations that a candidate is about."""
    if not isinstance(candidate, BlockCandidate | GridCandidate):
        return [candidate.edge.branch.terminator, candidate.barrier]
    accesses: list[Operation] = [*candidate.accesses]
    if candidate.kind is not RaceKind.BARRIER_IN_LOOP:
        return accesses
    flow = candidate.context.program.flow
    nests = [flow.loop_nest(access.block) for access in accesses]
    shared = next((loop for loop in nests[0] if loop in nests[-1]), None)
    inside = [] if shared is None else [each for b in shared.blocks for each in b.operations]
    return [*accesses, *inside]
