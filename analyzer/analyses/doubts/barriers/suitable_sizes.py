"""Sizes that may be those of the real block, where the block is a guess.

In: a decision that parts two threads by numbers that were assumed. Out: whether it holds the index
against a size that may be the block's own, or lets whole tiles through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_shape.block_size_guesses import asks_for_whole_tiles, may_suit_the_block
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import SplitCandidate


def _may_be_the_block(candidate: SplitCandidate) -> bool:
    witness, branch = candidate.witness, candidate.edge.branch
    if witness is None or not witness.assumed or not candidate.launch.launch.guessed:
        return False
    return may_suit_the_block(candidate.facts.flow, branch) or asks_for_whole_tiles(branch)


DOUBT = Doubt(
    "size-may-be-the-block",
    Effect.POSSIBLE,
    "the block is guessed, and the size in the condition may be that of the real block",
    _may_be_the_block,
)
