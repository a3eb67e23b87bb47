"""Parameters that the host makes the block of: it may be as large as they ask for.

In: two blocks that meet, the block being an upper bound. Out: whether a number that a launch makes
the block of, and that is not known, has a part in where an access goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dataflow.slices import backward_slice
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import GridCandidate


def _is_placed_by_the_block(candidate: GridCandidate) -> bool:
    if not candidate.launch.unsettled:
        return False
    launch = candidate.judged_for
    unknown = launch.stated.shaping - launch.passed.keys()
    return any(
        each in unknown for access in candidate.accesses for each in backward_slice(access.address)
    )


DOUBT = Doubt(
    "index-by-block-size",
    Effect.POSSIBLE,
    "the index depends on a number that the host computes the block size from",
    _is_placed_by_the_block,
)
