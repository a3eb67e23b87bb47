"""Two stores of one value: whoever comes last makes no difference.

In: two threads that are known to store the same. Out: whether there is no shorter form of it, as
there is for a flag in shared memory that each thread sets when its data says so: a vote of the
block. Between blocks there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.equal_stores import sets_flag
from ...conflicts.race_kinds import RaceKind
from ..question.candidates import GridCandidate
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import AnyCandidate


def _does_no_harm(candidate: AnyCandidate) -> bool:
    return isinstance(candidate, GridCandidate) or not sets_flag(candidate.conflict)


DOUBT = Doubt(
    "same-value",
    Effect.POSSIBLE,
    "both threads write the same value, so it does not matter which one is last",
    _does_no_harm,
    frozenset({RaceKind.EQUAL_WRITES}),
)
