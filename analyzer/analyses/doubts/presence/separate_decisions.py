"""Decisions that are made for the whole block, one for each access: perhaps never both.

In: two threads of a block, and which decisions were made for all its threads because they are not
known. Out: whether two or more decide about the two accesses, and not the same about both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.block import Block
    from ....ir.operations import MemoryAccess
    from ..question.candidates import BlockCandidate


def _are_decided_apart(candidate: BlockCandidate) -> bool:
    one, other = (_decided(candidate, access) for access in candidate.accesses)
    return len(one | other) > 1 and one != other


def _decided(candidate: BlockCandidate, access: MemoryAccess) -> set[Block]:
    edges = candidate.context.program.flow.controlling_edges(access.block)
    return {edge.branch for edge in edges} & candidate.run.numbers.decided.keys()


DOUBT = Doubt(
    "separate-decisions",
    Effect.POSSIBLE,
    "unknown conditions decide about the two accesses, and may never let both run",
    _are_decided_apart,
)
