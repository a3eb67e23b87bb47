"""Guessed blocks that reach into the part of the next one: the kernel is for smaller blocks.

In: two blocks that meet, the block being a guess. Out: whether the next block begins before this
one ends, or a group of threads goes on in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_shape.block_size_guesses import cuts_groups
from ...block_shape.neighbouring_blocks import distance_of_blocks
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ..question.candidates import GridCandidate


def _is_for_other_blocks(candidate: GridCandidate) -> bool:
    if not candidate.launch.guessed:
        return False
    return any(_is_too_large(candidate, access) for access in candidate.accesses)


def _is_too_large(candidate: GridCandidate, access: MemoryAccess) -> bool:
    distance = distance_of_blocks(access.address)
    if distance is not None and distance < candidate.launch.block[0]:
        return True
    return cuts_groups(candidate.judged_for, access.address)


DOUBT = Doubt(
    "block-too-large",
    Effect.POSSIBLE,
    "the guessed block reaches into the elements of the next one, so the real block is smaller",
    _is_for_other_blocks,
)
