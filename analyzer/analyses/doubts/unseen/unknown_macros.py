"""Macros that nobody defines before a block: `FOR_EACH(i, n) { ... }`.

In: two threads in conflict, or a decision before a barrier. Out: whether one of the two places
stands in a statement that such a macro heads: it may be a loop, a condition, or hold a barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect
from .questions import operations_of
from .stretches import places

if TYPE_CHECKING:
    from ..barriers.candidates import ExitCandidate, SplitCandidate
    from ..question.candidates import AnyCandidate


def _is_headed(candidate: AnyCandidate | SplitCandidate | ExitCandidate) -> bool:
    heads = [each.headed for each in candidate.facts.kernel.unread if each.headed is not None]
    if not heads:
        return False
    where = places(operations_of(candidate))
    return any(head.covers(place) for head in heads for place in where)


DOUBT = Doubt(
    "unknown-macro",
    Effect.POSSIBLE,
    "a macro that is not defined here heads the block, and may be a loop, a condition or a barrier",
    _is_headed,
    names_headers=True,
)
