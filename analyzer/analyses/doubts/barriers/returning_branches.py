"""Branches of PTX that only return: an exit of the kernel, or code that does no more.

In: a decision that parts two threads, in PTX. Out: whether the threads that do not take it do
nothing but return. From sm_70 on a barrier waits for the threads that are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import SplitCandidate


def _only_returns(candidate: SplitCandidate) -> bool:
    ptx = candidate.facts.kernel.language == "ptx"
    return ptx and candidate.facts.alternative_paths.do_nothing(candidate.edge)


DOUBT = Doubt(
    "branch-returns",
    Effect.POSSIBLE,
    "in PTX the other branch only returns, which may be an early exit of the kernel",
    _only_returns,
)
