"""Sizes that a kernel has because a header was not found: `#ifndef BLOCK`, `#define BLOCK 256`.

In: two threads in conflict, a decision before a barrier, or a thread beyond the end of an array.
Out: whether the kernel, or a launch of it, uses such a macro, or one that is made of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..barriers.candidates import ExitCandidate, SplitCandidate
    from ..bounds.candidates import OutsideCandidate
    from ..question.candidates import AnyCandidate


def _uses_default(
    candidate: AnyCandidate | SplitCandidate | ExitCandidate | OutsideCandidate,
) -> bool:
    facts = candidate.facts
    uses = facts.module.unseen.defaults
    if not uses:
        return False
    kernel = facts.kernel
    places = (kernel.span, kernel.body_span, *(launch.span for launch in kernel.launches))
    return any(place.covers(use) for use in uses for place in places)


DOUBT = Doubt(
    "macro-default",
    Effect.POSSIBLE,
    "a macro has its default value here, and a header that was not found may define it otherwise",
    _uses_default,
    names_headers=True,
)
