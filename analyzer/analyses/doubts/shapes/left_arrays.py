"""Blocks that leave an array: most likely not what the kernel is made for.

In: two threads that meet, the block not given by the user. Out: whether any thread left an array by
a number or a block that was assumed; who leaves it whatever these are shows a defect of its own,
which hides no other one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import AnyCandidate


def _is_too_large(candidate: AnyCandidate) -> bool:
    return candidate.launch.origin != "--block" and candidate.leaves_arrays


DOUBT = Doubt(
    "array-left",
    Effect.POSSIBLE,
    "a thread runs past the end of an array, so the assumed block or sizes are probably wrong",
    _is_too_large,
)
