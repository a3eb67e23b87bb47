"""Updates that data decides about: nobody counts what comes once.

In: two threads of a block at one update, neither of them sure to come. Out: whether it is no count
(a constant is added) and several threads are not known to come (`conflicts/contended_updates.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.contended_updates import is_contended
from ...conflicts.race_kinds import RaceKind
from ...conflicts.updates import adds_constant
from ..question.doubt import Doubt, Effect
from .conditions import uncertain

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _may_come_once(candidate: BlockCandidate) -> bool:
    if len(uncertain(candidate)) < 2:
        return False
    store = candidate.second.access
    if adds_constant(store, candidate.facts.updates.get(store, frozenset())):
        return False
    return not is_contended(candidate.context, store, *candidate.accesses)


DOUBT = Doubt(
    "single-update",
    Effect.POSSIBLE,
    "data decides who makes the update, and may admit a single thread",
    _may_come_once,
    frozenset({RaceKind.UPDATE}),
)
