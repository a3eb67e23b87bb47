"""Updates of a type that a header which was not found declares.

In: two threads that make one update. Out: whether nothing is known of the type of what they update:
its `+=` may be a function, and atomic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.types import Kind
from ...conflicts.race_kinds import RaceKind
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import AnyCandidate


def _is_of_unknown_type(candidate: AnyCandidate) -> bool:
    unseen = candidate.facts.module.unseen.names
    return bool(unseen) and any(
        access.element.kind is Kind.UNKNOWN for access in candidate.accesses
    )


DOUBT = Doubt(
    "unknown-type",
    Effect.POSSIBLE,
    "the type is declared in a header that was not found, and its operators may be atomic",
    _is_of_unknown_type,
    frozenset({RaceKind.UPDATE}),
    names_headers=True,
)
