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
    from collections.abc import Iterable, Iterator, Sequence

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


def kept(where: list[Outcome], outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """The outcomes one after the other, as far as they are asked for; those are kept."""
    for each in outcomes:
        where.append(each)
        yield each


def agreed(outcomes: Iterable[Outcome]) -> Outcome | None:
    """The outcome that stands for every usual block; None where they differ or one is unknown: no
    other is asked for then.
    """
    least: Outcome | None = None
    most = 0.0
    for each in outcomes:
        if each.reason in _NO_SAY:
            continue
        if each.reason:
            return None
        most = max(most, each.ratio)
        if least is None or each.ratio < least.ratio:
            least = each
        if most - least.ratio > _ALIKE and least.ratio < _DEFECT:
            return None
    return least
