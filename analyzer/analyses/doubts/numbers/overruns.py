"""Threads that leave their array for the next one by a number that was assumed.

In: two accesses that meet. Out: whether one of them has left the array that it belongs to
(`block_execution/array_starts.py`) and an assumed number has a part in where it goes or in who
comes there: most likely not a number that the kernel is made for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...block_execution.array_starts import overrunning
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import AnyCandidate


def _leaves_its_array(candidate: AnyCandidate) -> bool:
    """Whether an assumed number leads one of two threads out of an array into the one after it."""
    facts = candidate.facts
    in_source = facts.kernel.language == "cuda"
    overrun = overrunning(candidate.conflict, facts.points_to, in_source=in_source)
    return overrun is not None and candidate.context.depends_on_numbers(overrun)


DOUBT = Doubt(
    "overrun-by-example",
    Effect.POSSIBLE,
    "a thread only gets here by running past its own array, with a size chosen as an example",
    _leaves_its_array,
)
