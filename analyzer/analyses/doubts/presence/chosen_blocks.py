"""Decisions that are not known and that may keep all blocks but one away.

In: two blocks at one place. Out: whether a decision before one of the accesses was made for a whole
block, and may be another one in the next block; not for updates that input decides about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ..question.candidates import GridCandidate


def _may_be_one_block(candidate: GridCandidate) -> bool:
    if candidate.first.access in candidate.grid.accesses.contended:
        return False
    return any(_is_of_one_block(candidate, access) for access in candidate.accesses)


def _is_of_one_block(candidate: GridCandidate, access: MemoryAccess) -> bool:
    """Whether a decision that is not known may keep other blocks away."""
    uniformity = candidate.judged_for.uniformity
    return any(
        edge.branch in candidate.run.numbers.decided
        and uniformity.of_branch(edge.branch) > Uniformity.GRID
        for edge in candidate.context.program.flow.controlling_edges(access.block)
    )


DOUBT = Doubt(
    "chosen-block",
    Effect.POSSIBLE,
    "an unknown condition decides which blocks come here, and may admit a single one",
    _may_be_one_block,
)
