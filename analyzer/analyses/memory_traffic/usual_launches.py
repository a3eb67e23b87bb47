"""Accesses that cost the same in every usual launch, where nobody states the block or the type.

In: what an access costs in each of the usual blocks (`launch/usual_blocks.py`), and for elements of
each size (`warp_evaluation/open_types.py`). Out: one outcome that stands for all, or None. They
agree when the ratio is the same, and also when it is a defect in each of them: then the least is
told. A block that an access to shared memory leaves its array with is not what the kernel is made
for, and has no say; nor has one by which nobody executes the access.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from ..warp_evaluation.reasons import NOT_EXECUTED, UNFITTING_BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEFECT = 2.0  # wavefronts or sectors per ideal one
_ALIKE = 0.01
_NO_SAY = (NOT_EXECUTED, UNFITTING_BLOCK)


class Judged(Protocol):
    """What an access costs in one launch."""

    @property
    def reason(self) -> str:
        """Why it is not known; "" where it is."""

    @property
    def ratio(self) -> float:
        """Wavefronts or sectors per ideal one."""


Outcome = TypeVar("Outcome", bound=Judged)


def disagreement(outcomes: Sequence[Judged], otherwise: str) -> str:
    """Why there is no such outcome: a reason that all have, or else that nobody states it."""
    reasons = {each.reason for each in outcomes if each.reason not in _NO_SAY}
    return reasons.pop() if len(reasons) == 1 and "" not in reasons else otherwise


def agreed(outcomes: Sequence[Outcome]) -> Outcome | None:
    """The outcome that stands for every usual block; None where they differ or one is unknown."""
    known = [each for each in outcomes if each.reason not in _NO_SAY]
    if not known or any(each.reason for each in known):
        return None
    ratios = [each.ratio for each in known]
    least = min(ratios)
    if max(ratios) - least > _ALIKE and least < _DEFECT:
        return None
    return known[ratios.index(least)]
