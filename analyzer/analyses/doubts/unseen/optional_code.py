"""Parts of a kernel that are only there if somebody defines a name, and nothing in sight does.

In: a place at which something costs time. Out: whether it stands in such a part: `#ifdef X`, `#if
X`, or the `#else` of `#ifndef X`, where a header that was not found may define X, or nobody. What
is there without X stays as it is, and so does a kernel that stands in such a part as a whole: there
the condition says no more than that the code exists. Names that compilers define are not judged.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ....source.preprocessor_conditions import holds_without
from ....source.preprocessor_groups import directive_word
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....source.text import Span
    from .candidates import PlaceCandidate


def _is_optional(candidate: PlaceCandidate) -> bool:
    span, facts = candidate.span, candidate.facts
    body = facts.kernel.body_span
    return any(
        begin.source is span.source is body.source
        and body.start < begin.start <= span.start < end.start
        for begin, end in _optional_parts(facts.module.unseen.undecided)
    )


def _optional_parts(directives: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """The first and the last directive of each part that needs a definition."""
    missed = False  # whether a part before, of the same `#if`, is there without one
    for begin, end in pairwise(directives):
        word = directive_word(begin.text)
        if word == "endif":
            missed = False
            continue
        without = not missed if word == "else" else holds_without(word, begin.text)
        if without is False:
            yield begin, end
        missed = missed or without is True


DOUBT = Doubt(
    "optional-code",
    Effect.POSSIBLE,
    "this is only compiled where a name is defined, which nothing in sight does",
    _is_optional,
    names_headers=True,
)
