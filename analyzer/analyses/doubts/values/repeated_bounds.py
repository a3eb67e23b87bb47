"""Bounds that whoever comes puts on a place: `n = min(limit, *count); if (first) *count = n;`.

In: two accesses to one place. Out: whether they are a load and a store of one update which changes
nothing when it is made again, and what is loaded serves nothing but this update: who comes before
the store and who comes after it find the same. Flags set in a word and bits cleared in it count as
well. Not handled: bounds that a decision puts there, `if (*count > limit) *count = limit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Compare, Operation, unconverted
from ...conflicts.updates import repeats
from ...dataflow.reachability import reachable
from ...dataflow.value_numbering import ValueNumbering
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....ir.operations import MemoryAccess
    from ...conflicts.facts import ConflictLaunch
    from ..question.candidates import BlockCandidate


def _is_repeated_bound(candidate: BlockCandidate) -> bool:
    """Whether two accesses read and write a bound that all threads put there alike."""
    launch, facts = candidate.judged_for, candidate.facts
    one, other = candidate.accesses
    for load, store in ((one, other), (other, one)):
        if load in facts.updates.get(store, ()):
            return repeats(store, facts.updates, launch.uniformity, candidate.level) and all(
                _serves(launch, each, store) for each in facts.updates[store]
            )
    return False


def _serves(launch: ConflictLaunch, load: MemoryAccess, store: MemoryAccess) -> bool:
    """Whether all that is made of a load is the value that is stored, or one computed alike."""
    names = ValueNumbering()
    stored = names.of(unconverted(store.operands[1]))
    users = launch.facts.users

    def onwards(user: Operation) -> Sequence[Operation]:
        return () if names.of(user) == stored else users.get(user, ())

    return all(
        names.of(user) == stored or unconverted(user) is load or isinstance(user, Compare)
        for user in reachable(users.get(load, ()), onwards)
    )


DOUBT = Doubt(
    "repeated-bound",
    Effect.BENIGN,
    "every thread applies the same bound here, and the value read serves only that",
    _is_repeated_bound,
)
