"""Numbers that the host cannot pass: what it makes the launch of contradicts them.

In: a decision that parts two threads by numbers that were assumed. Out: whether what is known of
the launch speaks against them, as a formula for the grid or constants that it passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ExitCandidate, SplitCandidate


def _contradict_the_launch(candidate: SplitCandidate | ExitCandidate) -> bool:
    return candidate.witness is not None and not candidate.witness.launchable


DOUBT = Doubt(
    "launch-contradicts-sizes",
    Effect.POSSIBLE,
    "no launch in the file can pass the sizes for which the threads of a block separate",
    _contradict_the_launch,
)
