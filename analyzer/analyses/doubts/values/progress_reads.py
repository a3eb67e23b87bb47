"""Plain reads of what other blocks change by atomic operations, of which no result is made.

In: two blocks at one place, one of them with an atomic operation. Out: whether the other one
reads without storing what it has read (`conflicts/optimistic_reads.py`): any value may do for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import AccessKind
from ...conflicts.optimistic_reads import takes_unfinished
from ...conflicts.race_kinds import RaceKind
from ...pointers.memory_model import ATOMIC
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import GridCandidate


def _only_looks(candidate: GridCandidate) -> bool:
    kinds = [access.kind for access in candidate.accesses]
    if ATOMIC.isdisjoint(kinds) or AccessKind.LOAD not in kinds:
        return False
    return not takes_unfinished(candidate.facts, *candidate.accesses)


DOUBT = Doubt(
    "progress-read",
    Effect.POSSIBLE,
    "no result is made of the value that is read: any intermediate value may do",
    _only_looks,
    frozenset({RaceKind.BLOCKS}),
)
