"""Bounds that whoever comes puts on a place: `n = min(limit, *count); if (first) *count = n;`.

In: two accesses to one place. Out: whether they are a load and a store of one update which changes
nothing when it is made again, and what is loaded serves nothing but this update: who comes before
the store and who comes after it find the same. Flags set in a word and bits cleared in it count as
well. Not handled: bounds that a decision puts there, `if (*count > limit) *count = limit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Compare, Operation, unconverted
from ..conflicts.updates import repeats
from ..dataflow.value_numbering import ValueNames

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ..warp_evaluation.facts import LaunchFacts
    from ..warp_evaluation.uniformity import Uniformity


def is_repeated_bound(
    launch: LaunchFacts, one: MemoryAccess, other: MemoryAccess, level: Uniformity
) -> bool:
    """Whether two accesses read and write a bound that all threads of a level put there alike."""
    facts = launch.facts
    for load, store in ((one, other), (other, one)):
        if load in facts.updates.get(store, ()):
            return repeats(store, facts.updates, launch.uniformity, level) and all(
                _serves(launch, each, store) for each in facts.updates[store]
            )
    return False


def _serves(launch: LaunchFacts, load: MemoryAccess, store: MemoryAccess) -> bool:
    """Whether all that is made of a load is the value that is stored, or one computed alike."""
    names = ValueNames()
    stored = names.of(unconverted(store.operands[1]))
    users: list[Operation] = list(launch.facts.users.get(load, ()))
    while users:
        user = users.pop()
        if names.of(user) == stored:
            continue
        if unconverted(user) is not load and not isinstance(user, Compare):
            return False
        users += launch.facts.users.get(user, ())
    return True
