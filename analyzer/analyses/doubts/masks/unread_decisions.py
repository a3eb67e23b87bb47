"""Masks before which a decision depends on what could not be read.

In: a mask that does not fit. Out: whether a decision before the operation is made of a value of
which nothing is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import Unknown
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import MaskCandidate


def _is_unread(candidate: MaskCandidate) -> bool:
    return any(isinstance(each, Unknown) for each in candidate.decided_on())


DOUBT = Doubt(
    "unread-decision",
    Effect.POSSIBLE,
    "a decision before it depends on something of which nothing is known",
    _is_unread,
)
