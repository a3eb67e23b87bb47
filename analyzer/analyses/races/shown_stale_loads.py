"""Loads by the read-only path that another thread's write is shown to reach.

In: a kernel's facts. Out: the loads of `conflicts/stale_loads.py`, each object once. Two places
that the kernel computes, `a[n + i]` and `a[i]`, are halves of one array or meet: numbers decide, so
a run of a block, or of two, has to show two threads there. What data has a part in, `a[list[i]]`,
may be any element, as may a place that a store is sure to come to before the load.
Not handled: kernels that are not run, where such places show nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..conflicts.stale_loads import stale_loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ..conflicts.stale_loads import StaleLoad
    from .facts import RaceFacts


def shown_stale_loads(facts: RaceFacts) -> Iterator[StaleLoad]:
    """The first load by the read-only path from each object that another thread's write is shown to
    reach.
    """
    reported: set[MemoryObject] = set()
    for found in stale_loads(facts):
        if found.item in reported:
            continue
        if not found.computed or _meet(facts, found.load, found.write):
            reported.add(found.item)
            yield found


def _meet(facts: RaceFacts, load: MemoryAccess, write: MemoryAccess) -> bool:
    """Whether some run shows two threads at the two accesses, with nothing that speaks against."""
    return any(
        {load, write} == set(race.conflict.accesses) and race.definite
        for races in facts.block_races
        for race in (*races.found, *races.between_blocks)
    )
