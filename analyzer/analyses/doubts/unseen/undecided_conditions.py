"""Conditions of the preprocessor that only a header which was not found could settle.

In: two threads in conflict, or a decision before a barrier. Out: whether a directive of such a
condition (`#ifdef X`, its `#else`, its `#endif`) stands between the two accesses, anywhere in the
loop between whose iterations they differ, or between the decision and the barrier. A condition that
encloses both says no more than that the code exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect
from .questions import stretch_of

if TYPE_CHECKING:
    from ....source.text import Span
    from ..barriers.candidates import ExitCandidate, SplitCandidate
    from ..question.candidates import AnyCandidate


def _is_passed(candidate: AnyCandidate | SplitCandidate | ExitCandidate) -> bool:
    undecided = candidate.facts.module.unseen.undecided
    between = stretch_of(candidate) if undecided else None
    return between is not None and any(_lies_in(each, between) for each in undecided)


def _lies_in(directive: Span, between: Span) -> bool:
    same = directive.source is between.source
    return same and between.start < directive.start and directive.end < between.end


DOUBT = Doubt(
    "undecided-condition",
    Effect.POSSIBLE,
    "an #if here depends on a name that a header which was not found may define",
    _is_passed,
    names_headers=True,
)
