"""Barriers of PTX that whole warps reach at different instructions.

In: a decision that whole warps take alike, in PTX. Out: whether the other branch has a barrier of
its own: a barrier of PTX is the one of its number, wherever a warp waits for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import SplitCandidate


def _wait_elsewhere(candidate: SplitCandidate) -> bool:
    if candidate.facts.kernel.language != "ptx" or candidate.level is not Uniformity.WARP:
        return False
    return candidate.launch.barrier_counts.elsewhere(candidate.edge) is not None


DOUBT = Doubt(
    "barrier-of-same-number",
    Effect.POSSIBLE,
    "in PTX whole warps may wait for the same barrier at different instructions",
    _wait_elsewhere,
)
