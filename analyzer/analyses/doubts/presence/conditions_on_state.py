"""Conditions on what the kernel has computed: they may let a single thread through.

In: two threads of a block, one at least not sure to come. Out: whether something other than data
that the kernel was given (`pointers/provenance.py`: `is_data`) has a part in what decides. Of an
atomic operation against an access that is sure to be made, any thread but one will do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pointers.memory_model import ATOMIC
from ...pointers.provenance import is_data
from ..question.doubt import Doubt, Effect
from .conditions import conditions_on_data, uncertain

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _asks_more_than_data(candidate: BlockCandidate) -> bool:
    points_to = candidate.facts.points_to
    if all(touch.access.kind in ATOMIC for touch in uncertain(candidate)):
        return False  # it is atomic because several threads come, in turn or together
    return not all(
        is_data(condition, points_to)
        for each in conditions_on_data(candidate)
        for condition in each
    )


DOUBT = Doubt(
    "condition-on-state",
    Effect.POSSIBLE,
    "a condition on more than input data decides who gets here, and may admit a single thread",
    _asks_more_than_data,
)
