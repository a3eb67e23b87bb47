"""Conflicts that smaller blocks do without, where nobody states the block.

In: two threads that meet, of a launch whose block is an upper bound or was inferred. Out: whether a
smaller block that the kernel may be made for does not show it (`conflicts/block_shrinking.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.candidates import GridCandidate
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import AnyCandidate


def _may_do_without(candidate: AnyCandidate) -> bool:
    if not (candidate.launch.unsettled or candidate.launch.inferred):
        return False
    if isinstance(candidate, GridCandidate):
        smaller = candidate.grid.smaller(candidate.run.scenario)
        return not all(candidate.accesses in run.found for run in smaller)
    return not candidate.context.smaller.show(candidate.run, candidate.conflict)


DOUBT = Doubt(
    "smaller-block",
    Effect.POSSIBLE,
    "the block size is not known, and with a smaller block the two threads do not meet",
    _may_do_without,
)
