"""Updates that write the same value: what each writes back was read before, and that is judged.

In: two stores of one value to one place. Out: whether the stored value goes on from what stood
there. The load of the update and the store then are a conflict of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _goes_on_from_what_was_read(candidate: BlockCandidate) -> bool:
    return candidate.first.access in candidate.facts.updates


DOUBT = Doubt(
    "judged-at-its-read",
    Effect.BENIGN,
    "both threads write back what they read here, so the read is reported instead of the writes",
    _goes_on_from_what_was_read,
    frozenset({RaceKind.EQUAL_WRITES}),
)
