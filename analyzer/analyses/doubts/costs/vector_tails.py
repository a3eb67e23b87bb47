"""What a warp does for the last few elements only, beside its vector version.

In: an access that costs more than it must. Out: whether hardly a lane of the grid comes to it
(`memory_traffic/vector_tails.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...memory_traffic.vector_tails import is_vector_tail
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import TailCandidate


def _is_tail(candidate: TailCandidate) -> bool:
    return is_vector_tail(candidate.facts, candidate.access)


DOUBT = Doubt(
    "vector-tail",
    Effect.POSSIBLE,
    "hardly a lane of the grid comes here: it is for the elements that a vector leaves over",
    _is_tail,
)
