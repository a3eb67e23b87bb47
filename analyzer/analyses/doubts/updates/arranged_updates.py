"""Updates at an index from memory by threads that may have settled who comes.

In: such an update. Out: whether a lock orders it, or a decision on what threads have written stands
before it. For a best that several lanes of a warp keep, decisions that the warp takes alike settle
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import MemoryAccess
from ...dataflow.slices import backward_slice
from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect
from .unique_indices import is_of_warp, keeps_the_best

if TYPE_CHECKING:
    from ....ir.memory import MemoryObject
    from ...conflicts.facts import ConflictFacts
    from .candidates import ScatteredCandidate


def _may_be_arranged(candidate: ScatteredCandidate) -> bool:
    facts, store, item = candidate.facts, candidate.store, candidate.item
    if not keeps_the_best(candidate):
        return is_arranged(facts, store, None)
    if is_of_warp(candidate):
        return is_arranged(facts, store, item, Uniformity.WARP)
    return is_arranged(facts, store, item)


def is_arranged(
    facts: ConflictFacts,
    store: MemoryAccess,
    item: MemoryObject | None,
    level: Uniformity = Uniformity.GRID,
) -> bool:
    """Whether threads may have settled who makes an update: by a lock, or by what they wrote.

    What an array of bests, the item, holds elsewhere says where to go on from, not who comes; nor
    do decisions that all threads of a level take alike.
    """
    if facts.critical_sections.may_order(store, store):
        return True
    points_to = facts.points_to
    written = {
        item for each in facts.accesses if each.writes for item in points_to.of(each.address)
    }
    uniformity = facts.launches[0].uniformity
    asked = [
        each
        for edge in facts.flow.controlling_edges(store.block)
        if level is Uniformity.GRID or uniformity.of_branch(edge.branch) > level
        for each in backward_slice(edge.branch.terminator.operands[0])
        if isinstance(each, MemoryAccess) and each is not store
    ]
    return any(
        each.writes or (points_to.of(each.address) - {item}) & written - {item} for each in asked
    )


DOUBT = Doubt(
    "arranged-update",
    Effect.POSSIBLE,
    "a lock, or a condition on what other threads wrote, may decide who makes the update",
    _may_be_arranged,
)
