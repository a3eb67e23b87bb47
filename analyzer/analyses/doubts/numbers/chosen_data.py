"""Conflicts behind a decision on data that was chosen to go that way.

In: two threads that meet in a run in which values from memory are negative, or equal to the sizes.
Out: whether it is such a run: in the others, where what is loaded is large, the decision goes the
other way. Which data there is nothing says: `if (queue[0] < limit)` may never hold.
Such runs are made only where doubts are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_execution.assumed_numbers import CHOSEN_DATA
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _was_chosen(candidate: BlockCandidate) -> bool:
    return candidate.run.scenario in CHOSEN_DATA


DOUBT = Doubt(
    "chosen-data",
    Effect.POSSIBLE,
    "a branch on a value from memory must be taken, and nothing shows that the data makes it so",
    _was_chosen,
)
