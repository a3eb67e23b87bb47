"""Updates that all threads make alike and that change nothing when made again: a bit that all set.

In: the store of an update that is not atomic. Out: whether it is one of a constant value that gives
the same twice, made by all threads of the block, or of the grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import AnyCandidate


def _repeats(candidate: AnyCandidate) -> bool:
    return candidate.context.repeats(candidate.second.access, candidate.level)


DOUBT = Doubt(
    "repeated-update",
    Effect.POSSIBLE,
    "all threads make the same update, and making it twice changes nothing",
    _repeats,
    frozenset({RaceKind.UPDATE}),
)
