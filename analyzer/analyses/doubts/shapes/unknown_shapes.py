"""Kernels whose threads have several indices, and of which nothing says how many there are of each.

In: two threads that meet. Out: whether the shape of the block is no more than an example, and some
usual block does without the conflict (`conflicts/usual_shapes.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _has_other_rows(candidate: BlockCandidate) -> bool:
    if candidate.launch.trusted:
        return False
    return not candidate.context.usual.show(candidate.run, candidate.conflict)


DOUBT = Doubt(
    "block-shape-unknown",
    Effect.POSSIBLE,
    "nothing says how many rows the block has, and with other rows the two threads may not meet",
    _has_other_rows,
)
