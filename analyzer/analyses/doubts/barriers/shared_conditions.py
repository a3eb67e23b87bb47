"""Numbers that were chosen by the very condition that decides about the barrier.

In: a decision that parts two threads, or sends some away, and the barrier. Out: whether it is on a
number that an earlier branch has chosen, by a condition that the barrier stands behind as well:
`int end = n; if (compact) end = rounded(n); for (...; i < end; ...) if (compact) __syncthreads();`.
With the number that parts the threads nobody may come to the barrier. Conditions are the same when
they are computed alike. Not handled: which of the numbers it is that goes with the barrier;
conditions that are opposites of each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Phi
from ...dataflow.slices import backward_slice
from ...dataflow.value_numbering import ValueNumbering
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.values import Value
    from ...conflicts.facts import ConflictFacts
    from .candidates import ExitCandidate, SplitCandidate


def _is_chosen_alike(candidate: SplitCandidate | ExitCandidate) -> bool:
    flow, names = candidate.facts.flow, ValueNumbering()
    around = flow.controlling_edges(candidate.barrier.block)
    guards = {names.of(each.branch.terminator.operands[0]) for each in around}
    parting = candidate.edge.branch.terminator.operands[0]
    guards.discard(names.of(parting))
    return any(names.of(each) in guards for each in _choosing(candidate.facts, parting))


def _choosing(facts: ConflictFacts, condition: Value) -> Iterator[Value]:
    """What the branches decide on that choose between the numbers of a condition."""
    for part in backward_slice(condition):
        if not isinstance(part, Phi) or part.block in facts.flow.latches:
            continue
        about_both = set(facts.flow.controlling_edges(part.block))
        for before in part.block.predecessors:
            edges = {*facts.flow.controlling_edges(before)} - about_both
            branches = {edge.branch for edge in edges}
            if len(before.successors) > 1:
                branches.add(before)
            yield from (each.terminator.operands[0] for each in branches)


DOUBT = Doubt(
    "shared-condition",
    Effect.POSSIBLE,
    "a condition that the barrier stands behind, too, has chosen the number that parts the threads",
    _is_chosen_alike,
)
