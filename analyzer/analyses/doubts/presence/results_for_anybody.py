"""Places in global memory that threads come to when their data says so: a result that any may set.

In: two threads of a block, one at least not sure to come. Out: whether they meet outside shared
memory, but for counts and updates, of which each must be counted. What is stored for sure before
others come is no result: it is what they are to find, or to set anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.memory import Space
from ...conflicts.race_kinds import RaceKind
from ..question.doubt import EVERY, Doubt, Effect
from .conditions import uncertain

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _may_be_set_by_any(candidate: BlockCandidate) -> bool:
    if not uncertain(candidate) or candidate.conflict.item.space is Space.SHARED:
        return False
    first = candidate.first
    return not (candidate.kind is RaceKind.BARRIER and first.must and first.access.writes)


DOUBT = Doubt(
    "result-of-any-thread",
    Effect.POSSIBLE,
    "only threads whose data says so come here, and any of them may be meant to set the result",
    _may_be_set_by_any,
    EVERY - {RaceKind.UPDATE, RaceKind.CHECK},
)
