"""Counts that threads check when their data has one certain value: perhaps one thread alone.

In: two threads of a block at a count that is read first and added to after, neither of them sure to
come. Out: whether data decides by anything but its size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ...pointers.provenance import comparisons, orders
from ..question.doubt import Doubt, Effect
from .conditions import conditions_on_data, uncertain

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _asks_for_a_value(candidate: BlockCandidate) -> bool:
    if len(uncertain(candidate)) < 2:
        return False
    conditions = (each for some in conditions_on_data(candidate) for each in some)
    return not all(orders(part) for each in conditions for part in comparisons(each))


DOUBT = Doubt(
    "count-by-equality",
    Effect.POSSIBLE,
    "a comparison for equality decides who counts, and may admit a single thread",
    _asks_for_a_value,
    frozenset({RaceKind.CHECK}),
)
