"""Exits of a block of which only a bound is known, by a size that may be the block's own.

In: a decision by which threads leave before a barrier. Out: whether launch bounds are all that is
known of the block and a number was assumed for the size in the decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_shape.block_size_guesses import may_suit_the_block
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ExitCandidate


def _may_be_the_block(candidate: ExitCandidate) -> bool:
    bounded = candidate.launch.launch.is_bound and bool(candidate.witness.assumed)
    return bounded and may_suit_the_block(candidate.facts.flow, candidate.edge.branch)


DOUBT = Doubt(
    "exit-below-bound",
    Effect.BENIGN,
    "only a bound of the block size is known, and the size in the condition may be the real one",
    _may_be_the_block,
)
