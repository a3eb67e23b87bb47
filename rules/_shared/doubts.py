"""Doubts that a rule asks itself, of a candidate that it made.

In: the facts of a kernel, what is judged (a subject of `doubts/registry.py`), the candidate. Out:
the doubts that hold, as a finding states them, with the headers that they speak of: the first, or
all where all are wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ...analyzer.analyses.doubts.question.doubt import doubts_of
from ...analyzer.findings.doubts import stated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analyzer.analyses.doubts.question.doubt import Doubt
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.finding import StatedDoubt

C = TypeVar("C")


def doubts_about(
    facts: KernelFacts, asked: Sequence[Doubt[C]], candidate: C
) -> tuple[StatedDoubt, ...]:
    """What speaks against a finding that is made of the candidate."""
    doubts = doubts_of(asked, candidate, every=facts.options.doubted)
    return stated(doubts, facts.module.unseen)
