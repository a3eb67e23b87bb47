"""Volatile accesses: the author means them for other threads, and may have ordered them.

In: two threads of a block, one of them with a volatile access. Out: whether nothing speaks for a
mistake. What does: both are lanes of one warp, which `volatile` no longer orders, but for a loop
that reads until what the other one has written before is there: `while (count < blocks);`; a plain
store meets an atomic operation; one of the two holds a lock and the other one writes without any;
or they meet in a volatile array that nothing but barriers speaks for. There each thread that stores
has an element of its own, or a single thread stores what others make results of; the kernel has
barriers of the block, and no loop of it waits for what is read in the array: one that counts up to
a number from there does not, nor one with a barrier inside. Such a `volatile` is for the lanes of a
warp, that once ran in step; who means it for a flag waits for it, and who means it for a number
that anybody may see only decides by it.
Not handled: arrays that are handed to functions which are not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.memory import Space
from ....ir.operations import AccessKind, Barrier, BarrierKind, MemoryAccess
from ...block_execution.per_thread import PerThread
from ...block_execution.thread_vectors import size
from ...dataflow.induction import induction
from ...dataflow.paths import can_reach
from ...dataflow.slices import backward_slice, forward_slice
from ...pointers.memory_model import is_lost_store
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.block import Block
    from ....ir.memory import MemoryObject
    from ....ir.values import Value
    from ...block_execution.access_events import Conflict, ThreadAccess
    from ...conflicts.facts import ConflictFacts
    from ...dataflow.control_flow import Loop
    from ..question.candidates import BlockCandidate


def _may_be_meant(candidate: BlockCandidate) -> bool:
    """Whether an access is volatile, and nothing shows that this is not enough."""
    first, second = candidate.first, candidate.second
    if not any(access.volatile for access in candidate.accesses):
        return False
    lost = first.must and second.must and is_lost_store(*candidate.accesses)
    in_step = candidate.conflict.same_warp and not _waits_for(*candidate.accesses, candidate.facts)
    if in_step or lost or _leaves_lock(candidate):
        return False
    return not _is_scratch(candidate.facts, candidate.conflict)


def _waits_for(first: MemoryAccess, second: MemoryAccess, facts: ConflictFacts) -> bool:
    """Whether one of two accesses is the read of a loop that waits for what is written before."""
    for spin in facts.spins:
        other = {first: second, second: first}.get(spin.read)
        if other is not None and spin.read.volatile:
            return not can_reach(facts.flow, spin.read, other)
    return False


def _leaves_lock(candidate: BlockCandidate) -> bool:
    """Whether one of two accesses holds a lock, and the other one writes without any."""
    sections = candidate.facts.critical_sections
    first, second = candidate.accesses
    return any(
        sections.is_guarded(one) and other.writes and not sections.is_guarded(other)
        for one, other in ((first, second), (second, first))
    )


def _is_scratch(facts: ConflictFacts, conflict: Conflict) -> bool:
    """Whether two threads meet in a volatile array that barriers are there for: each thread that
    stores has an element of its own, or a single thread stores what the other makes a result of.
    """
    touches = (conflict.first, conflict.second)
    store = next((each for each in touches if each.access.kind is AccessKind.STORE), None)
    if conflict.item.space is not Space.SHARED or store is None:
        return False
    if not any(each.kind is BarrierKind.BLOCK for each in facts.every(Barrier)):
        return False
    other = next(each for each in touches if each is not store)
    takes = other.access.kind is AccessKind.LOAD and _is_kept(facts, other.access)
    if not _has_own_places(store) and not (takes and _is_alone(store)):
        return False
    return not _is_waited_for(facts, conflict.item)


def _has_own_places(store: ThreadAccess) -> bool:
    """Whether threads store at different places."""
    places = store.event.addresses
    return isinstance(places, PerThread) and len({p for p in places if p is not None}) > 1


def _is_alone(store: ThreadAccess) -> bool:
    """Whether a single thread of the block stores, whatever is not known."""
    return size(store.event.must | store.event.may) == 1


def _is_kept(facts: ConflictFacts, load: MemoryAccess) -> bool:
    """Whether what is loaded has a part in what is stored, or where: not in decisions alone."""
    return any(
        isinstance(each, MemoryAccess) and each is not load
        for each in forward_slice([load], facts.users)
    )


def _is_waited_for(facts: ConflictFacts, item: MemoryObject) -> bool:
    """Whether what is read in an array decides if a loop ends that waits for it."""
    return any(
        isinstance(value, MemoryAccess)
        and value.block in loop.blocks
        and item in facts.points_to.touched(value)
        for loop in facts.flow.loops
        if not any(map(_waits, loop.blocks))
        for each in loop.exits
        if each.terminator.operands
        for value in _deciding(facts, loop, each.terminator.operands[0])
    )


def _waits(block: Block) -> bool:
    """Whether the threads of a block meet: whoever waits for another one does not."""
    return any(
        isinstance(each, Barrier) and each.kind is BarrierKind.BLOCK for each in block.operations
    )


def _deciding(facts: ConflictFacts, loop: Loop, test: Value) -> set[Value]:
    """What a test that may end a loop is made of; nothing if the loop counts up to a number."""
    parts = set(backward_slice(test))
    counters = (each for each in loop.header.phis if each in parts)
    return set() if any(induction(facts.flow, each) for each in counters) else parts


DOUBT = Doubt(
    "volatile-access",
    Effect.POSSIBLE,
    "an access is volatile, so the author expects other threads here and may have ordered them",
    _may_be_meant,
)
