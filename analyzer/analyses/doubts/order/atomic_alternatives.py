"""Places that blocks change by atomic operations where the grid decides otherwise than here.

In: two blocks at one place. Out: whether a decision that the whole grid takes alike leads to an
atomic operation on the same object on its other branch: most likely, this branch is for one block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pointers.memory_model import ATOMIC
from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ..question.candidates import GridCandidate


def _is_for_one_block(candidate: GridCandidate) -> bool:
    return any(_has_atomic_path(candidate, access) for access in candidate.accesses)


def _has_atomic_path(candidate: GridCandidate, access: MemoryAccess) -> bool:
    """Whether blocks change the same by atomics where the grid decides otherwise than here."""
    facts, flow = candidate.facts, candidate.context.program.flow
    taken = {
        edge.branch: edge.target
        for edge in flow.controlling_edges(access.block)
        if candidate.judged_for.uniformity.of_branch(edge.branch) <= Uniformity.GRID
    }
    touched = facts.points_to.touched(access)
    return any(
        edge.branch in taken and edge.target is not taken[edge.branch]
        for other in (facts.accesses if taken else ())
        if other.kind in ATOMIC and not touched.isdisjoint(facts.points_to.touched(other))
        for edge in flow.controlling_edges(other.block)
    )


DOUBT = Doubt(
    "atomic-alternative",
    Effect.POSSIBLE,
    "another branch of the kernel does this atomically, so this one is probably for a single block",
    _is_for_one_block,
)
