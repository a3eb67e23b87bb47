"""Masks that do not fit for numbers that no caller chooses: data, or constants of other files.

In: a mask that does not fit. Out: whether an example number stood for anything but an argument, an
index of the grid or the number of an iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import Parameter, Special
from ...warp_evaluation.outcomes import IterationNumber
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import MaskCandidate

_FREE = Parameter | Special | IterationNumber


def _stands_for_others(candidate: MaskCandidate) -> bool:
    return not all(isinstance(name, _FREE) for name in candidate.assumed)


DOUBT = Doubt(
    "lanes-by-unknown-value",
    Effect.POSSIBLE,
    "who comes depends on data or on a constant that the file does not show",
    _stands_for_others,
)
