"""Volatile arrays of a block that nothing but barriers speaks for.

In: two threads in conflict. Out: whether they meet in such an array: each thread that stores has an
element of its own, the kernel has barriers of the block, and no loop of it ends by what is read in
the array. There `volatile` is for the lanes of a warp, that once ran in step; who means it for a
flag waits for it, and who means it for a number that anybody may see has one.
Not handled: arrays that are handed to functions which are not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Barrier, BarrierKind, MemoryAccess
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from ...ir.memory import MemoryObject
    from ..block_execution.access_events import Conflict
    from ..conflicts.facts import ConflictFacts


def is_scratch(facts: ConflictFacts, conflict: Conflict) -> bool:
    """Whether two threads meet in a volatile array that barriers are there for."""
    touches = (conflict.first, conflict.second)
    store = next((each for each in touches if each.access.kind is AccessKind.STORE), None)
    places = store.event.addresses if store is not None else None
    if conflict.item.space is not Space.SHARED or not isinstance(places, tuple):
        return False
    if len({place for place in places if place is not None}) < len(touches):
        return False
    barriers = any(each.kind is BarrierKind.BLOCK for each in facts.every(Barrier))
    return barriers and not _is_waited_for(facts, conflict.item)


def _is_waited_for(facts: ConflictFacts, item: MemoryObject) -> bool:
    """Whether what is read in an array decides if a loop ends."""
    tests = (
        each.terminator.operands[0]
        for loop in facts.flow.loops
        for each in loop.exits
        if each.terminator.operands
    )
    return any(
        isinstance(value, MemoryAccess) and item in facts.points_to.touched(value)
        for test in tests
        for value in backward_slice(test)
    )
