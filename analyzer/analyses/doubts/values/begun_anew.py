"""Sums that each block begins anew, `*sum = 0; ... *sum += x;`: most likely there is one block.

In: an update by two blocks, where the launch does not say how many there are. Out: whether a store
of a number stands before it at the same place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import AccessKind
from ...conflicts.race_kinds import RaceKind
from ...dataflow.value_numbering import alike
from ...pointers.provenance import reads_memory
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import GridCandidate


def _is_begun(candidate: GridCandidate) -> bool:
    if None not in candidate.launch.grid:
        return False
    flow, facts = candidate.context.program.flow, candidate.facts
    update = candidate.second.access
    return any(
        store.kind is AccessKind.STORE
        and store not in facts.updates
        and not reads_memory(store.operands[1])
        and flow.dominators.dominates(store.block.index, update.block.index)
        and alike(store.address, update.address)
        for store in facts.accesses
    )


DOUBT = Doubt(
    "begun-anew",
    Effect.POSSIBLE,
    "every block first sets this place to a start value, so the grid is probably a single block",
    _is_begun,
    frozenset({RaceKind.UPDATE}),
)
