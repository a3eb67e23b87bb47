"""Conditions that call functions which were not read: what they say of threads is not known.

In: two threads of a block, one at least not sure to come. Out: whether a value of no known type has
a part in what decides, but as a number that thread indices are less than.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pointers.provenance import asks_untyped
from ..question.doubt import Doubt, Effect
from .conditions import bounded_alone, open_conditions, uncertain

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _asks_what_is_not_read(candidate: BlockCandidate) -> bool:
    return any(
        any(map(asks_untyped, open_conditions(candidate, touch)))
        and not bounded_alone(candidate, touch)
        for touch in uncertain(candidate)
    )


DOUBT = Doubt(
    "untyped-condition",
    Effect.POSSIBLE,
    "a condition before an access has a part that could not be analysed",
    _asks_what_is_not_read,
)
