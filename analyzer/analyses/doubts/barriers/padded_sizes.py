"""Sizes that were padded, so that whole blocks come to the barrier.

In: a decision that parts two threads by numbers that were assumed. Out: whether loads behind it ask
the same index for a second size, another parameter: `i < n ? x[i] : 0` behind `i < n_padded`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_shape.padded_sizes import is_of_padded_size
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import SplitCandidate


def _may_be_padded(candidate: SplitCandidate) -> bool:
    witness = candidate.witness
    assumed = witness is not None and witness.assumed
    return bool(assumed) and is_of_padded_size(candidate.facts.flow, candidate.edge)


DOUBT = Doubt(
    "size-may-be-padded",
    Effect.POSSIBLE,
    "loads behind the condition compare the same index with another size: this one may be padded",
    _may_be_padded,
)
