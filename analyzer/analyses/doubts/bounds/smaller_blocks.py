"""Accesses beyond the end of an array that a smaller block does not make.

In: a thread beyond the end of an array, of a launch of which only a bound is known. Out: whether a
smaller block, that reads no more of the array than it writes, stays inside
(`conflicts/block_shrinking.py`); not where every thread goes there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import OutsideCandidate


def _may_stay_inside(candidate: OutsideCandidate) -> bool:
    context = candidate.context
    if not context.launch.launch.unsettled or candidate.always:
        return False
    scenario, item = candidate.run.scenario, candidate.outside.item
    return not context.smaller.leave(scenario, candidate.access, item)


DOUBT = Doubt(
    "smaller-block-fits",
    Effect.POSSIBLE,
    "only an upper bound of the block size is known, and a smaller block stays inside the array",
    _may_stay_inside,
)
