"""Conditions on data for both threads: two of them often pick out a single thread.

In: two threads of a block, neither of them sure to come. Out: whether they are not at one access
that a single comparison of data by size stands before, nor both behind nothing but numbers that
their indices are less than.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.race_kinds import RaceKind
from ...pointers.provenance import orders
from ..question.doubt import EVERY, Doubt, Effect
from .conditions import bounded_alone, conditions_on_data, uncertain

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _may_exclude_each_other(candidate: BlockCandidate) -> bool:
    if len(uncertain(candidate)) < 2:
        return False
    if all(bounded_alone(candidate, touch) for touch in uncertain(candidate)):
        return False
    first, second = candidate.accesses
    conditions = conditions_on_data(candidate)[0]
    return not (first is second and len(conditions) == 1 and orders(conditions[0]))


DOUBT = Doubt(
    "exclusive-conditions",
    Effect.POSSIBLE,
    "conditions on data decide about both threads, and may never admit the two together",
    _may_exclude_each_other,
    EVERY - {RaceKind.UPDATE, RaceKind.CHECK},
)
