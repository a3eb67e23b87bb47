"""Arrays that share one object, at starts that the kernel computes.

In: two accesses that meet, an assumed number having a part in where they go or in which threads
come there. Out: whether they begin at different starts in the object
(`block_execution/array_starts.py`): with the real sizes, the two arrays most likely lie apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_execution.array_starts import are_laid_apart
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _are_laid_apart(candidate: BlockCandidate) -> bool:
    assumed = any(map(candidate.context.is_led_by_example, candidate.accesses))
    return assumed and are_laid_apart(candidate.conflict, candidate.judged_for)


DOUBT = Doubt(
    "separate-arrays",
    Effect.POSSIBLE,
    "the two accesses use separate parts of one buffer, which only overlap for the example sizes",
    _are_laid_apart,
)
