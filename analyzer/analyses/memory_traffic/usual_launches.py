"""Accesses that cost the same in every usual launch, where nobody states the block or the type.

In: what an access costs in each of the usual blocks (`launch/usual_blocks.py`), and for elements of
each size (`warp_evaluation/open_types.py`). Out: one outcome that stands for all, or None. They
agree when the ratio is the same, and also when it is a defect in each of them: then the least is
told. A block that an access to shared memory leaves its array with is not what the kernel is made
for, and has no say; nor has one by which nobody executes the access.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from ..warp_evaluation.reasons import (
    NOT_EXECUTED,
    UNFITTING_BLOCK,
    UNKNOWN_BLOCK,
    UNKNOWN_WIDTH,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEFECT = 2.0  # wavefronts or sectors per ideal one
_ALIKE = 0.01
_NO_SAY = (NOT_EXECUTED, UNFITTING_BLOCK)
_OPEN = (UNKNOWN_BLOCK, UNKNOWN_WIDTH)


class Judged(Protocol):
    """What an access costs in one of the usual launches."""

    @property
    def reason(self) -> str:
        """Why it is not known; "" where it is."""

    @property
    def ratio(self) -> float:
        """Wavefronts or sectors per ideal one."""


Outcome = TypeVar("Outcome", bound=Judged)


def agreed(outcomes: Iterable[Outcome], otherwise: Outcome) -> Outcome | str:
    """What an access costs in every usual launch alike, else why there is no such outcome.

    Nothing more is evaluated once it is known that there is none.
    """
    known: list[Outcome] = []
    for each in outcomes:
        if each.reason in _NO_SAY:
            continue
        if each.reason:
            return each.reason if not known else otherwise.reason
        known.append(each)
        ratios = [one.ratio for one in known]
        if max(ratios) - min(ratios) > _ALIKE and min(ratios) < _DEFECT:
            return otherwise.reason
    return min(known, key=lambda each: each.ratio) if known else otherwise.reason


def is_open(reason: str) -> bool:
    """Whether usual launches may tell what an access costs where this one does not, for this
    reason.
    """
    return reason in _OPEN
