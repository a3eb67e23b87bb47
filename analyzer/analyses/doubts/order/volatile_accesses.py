"""Volatile accesses: the author means them for other threads, and may have ordered them.

In: two threads of a block, one of them with a volatile access. Out: whether nothing speaks for a
mistake. What does: both are lanes of one warp, which `volatile` no longer orders; a plain store
meets an atomic operation; one of the two holds a lock and the other one writes without any; or they
meet in a volatile array that nothing but barriers speaks for. There each thread that stores has an
element of its own, the kernel has barriers of the block, and no loop of it ends by what is read in
the array. Such a `volatile` is for the lanes of a warp, that once ran in step; who means it for a
flag waits for it, and who means it for a number that anybody may see has one.
Not handled: arrays that are handed to functions which are not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.memory import Space
from ....ir.operations import AccessKind, Barrier, BarrierKind, MemoryAccess
from ...block_execution.per_thread import PerThread
from ...dataflow.slices import backward_slice
from ...pointers.memory_model import is_lost_store
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.memory import MemoryObject
    from ...block_execution.access_events import Conflict
    from ...conflicts.facts import ConflictFacts
    from ..question.candidates import BlockCandidate


def _may_be_meant(candidate: BlockCandidate) -> bool:
    """Whether an access is volatile, and nothing shows that this is not enough."""
    first, second = candidate.first, candidate.second
    if not any(access.volatile for access in candidate.accesses):
        return False
    lost = first.must and second.must and is_lost_store(*candidate.accesses)
    if candidate.conflict.same_warp or lost or _leaves_lock(candidate):
        return False
    return not _is_scratch(candidate.facts, candidate.conflict)


def _leaves_lock(candidate: BlockCandidate) -> bool:
    """Whether one of two accesses holds a lock, and the other one writes without any."""
    sections = candidate.facts.critical_sections
    first, second = candidate.accesses
    return any(
        sections.is_guarded(one) and other.writes and not sections.is_guarded(other)
        for one, other in ((first, second), (second, first))
    )


def _is_scratch(facts: ConflictFacts, conflict: Conflict) -> bool:
    """Whether two threads meet in a volatile array that barriers are there for."""
    touches = (conflict.first, conflict.second)
    store = next((each for each in touches if each.access.kind is AccessKind.STORE), None)
    places = store.event.addresses if store is not None else None
    if conflict.item.space is not Space.SHARED or not isinstance(places, PerThread):
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


DOUBT = Doubt(
    "volatile-access",
    Effect.POSSIBLE,
    "an access is volatile, so the author expects other threads here and may have ordered them",
    _may_be_meant,
)
