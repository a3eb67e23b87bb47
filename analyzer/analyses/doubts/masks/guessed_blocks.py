"""Masks that do not fit in a block whose size nobody states.

In: a mask that does not fit, shown without any chosen size. Out: whether the block is a guess and a
decision before the operation depends on its size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_shape.block_size_guesses import is_block_size
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import MaskCandidate


def _depends_on_guess(candidate: MaskCandidate) -> bool:
    if not candidate.launch.launch.guessed or candidate.assumes_size:
        return False
    return any(is_block_size(each) for each in candidate.decided_on())


DOUBT = Doubt(
    "warp-by-guessed-block",
    Effect.POSSIBLE,
    "who comes depends on the block's size, which no launch states",
    _depends_on_guess,
)
