"""What speaks against findings because of where they point, whatever rule they are of.

In: what a rule found in a kernel. Out: the same, what costs time in a part of the kernel that only
a definition out of sight brings about with that doubt: it may cost nobody anything, while what is
wrong there stays wrong. A finding that has other doubts keeps these alone, unless all are asked
for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..findings.rule import Category

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..analyses.facts import KernelFacts
    from ..findings.finding import Finding


def placed(found: Sequence[Finding], facts: KernelFacts) -> Iterator[Finding]:
    """The findings of a kernel with the doubts that their places have."""
    unseen = facts.module.unseen
    if not (unseen.undecided and found):
        yield from found
        return
    from ..analyses.doubts.doubts_of_costs import OF_PLACES
    from ..analyses.doubts.question.doubt import doubts_of
    from ..analyses.doubts.unseen.candidates import PlaceCandidate
    from ..findings.doubts import stated

    every = facts.options.doubted
    for each in found:
        doubts = doubts_of(OF_PLACES, PlaceCandidate(facts, each.span), every=every)
        asked = each.rule.category is Category.PERFORMANCE and (every or not each.doubts)
        yield replace(each, doubts=each.doubts + stated(doubts, unseen)) if asked else each
