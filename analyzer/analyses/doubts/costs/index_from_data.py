"""Constant memory at an index that comes from data: the data may be alike within a warp.

In: a load from constant memory. Out: whether it is not known which words the lanes of a warp read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ConstantCandidate


def _is_not_known(candidate: ConstantCandidate) -> bool:
    return not candidate.read.words


DOUBT = Doubt(
    "lanes-may-agree",
    Effect.POSSIBLE,
    "the index comes from data, which may be the same for all lanes of a warp",
    _is_not_known,
)
