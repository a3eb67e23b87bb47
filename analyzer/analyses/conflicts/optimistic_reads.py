"""Reads that the atomic operation behind them makes up for: no order is needed between the two.

In: two accesses to one place. Out: whether one is a plain load, and the other an atomic operation
that asks again what was read: a compare-and-swap that compares with it (the loop of the CUDA C++
Programming Guide, 10.14), or an operation that is only spared when the load says so: `if (v < *p)
atomicMin(p, v)`. A stale value costs an iteration, or an operation that changes nothing.
An addition must look at its result to know what the load did not (`checked_counters.py`). Also
out: whether what was read is no peek, but stored as it is, while others may still add to it. A
block that keeps it in a variable of its own, only to merge that into the same place with the same
operation again (`best = *p; ... atomicMin(p, best)`), loses nothing by an older value.
Not handled: values that go through arrays on their way to the comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess, unconverted
from ..dataflow.slices import backward_slice, forward_slice
from ..pointers.memory_model import ATOMIC

if TYPE_CHECKING:
    from ...ir.memory import MemoryObject
    from .facts import ConflictFacts

#: They leave what is there if it is good enough, or put the same there whoever comes first.
_ASKING = frozenset({"min", "max", "and", "or", "exch", "cas"})

#: What they merge may be merged twice.
_MERGING = frozenset({"min", "max", "and", "or"})


def is_optimistic_read(facts: ConflictFacts, one: MemoryAccess, other: MemoryAccess) -> bool:
    """Whether one of two conflicting accesses only peeks, and the other one, an atomic operation,
    asks again.
    """
    return any(
        read.kind is AccessKind.LOAD
        and atomic.kind in ATOMIC
        and (_is_guess(facts, read, atomic) or _spares(facts, read, atomic))
        for read, atomic in ((one, other), (other, one))
    )


def _is_guess(facts: ConflictFacts, read: MemoryAccess, atomic: MemoryAccess) -> bool:
    """Whether a compare-and-swap compares with what was read, also by way of a local variable."""
    if atomic.atomic != "cas":
        return False
    made = set(backward_slice(atomic.operands[1]))
    if read in made:
        return True
    object_of = facts.points_to.object_of
    variables = {object_of(each) for each in made if isinstance(each, MemoryAccess)}
    kept = {object_of(store) for store in _stores_of(facts, read)}
    return any(item is not None and item.space is Space.LOCAL for item in variables & kept)


def _spares(facts: ConflictFacts, read: MemoryAccess, atomic: MemoryAccess) -> bool:
    """Whether what was read decides if the operation is made at all."""
    if atomic.atomic not in _ASKING and not facts.is_used(atomic):
        return False
    return any(read in backward_slice(each) for each in facts.flow.conditions(atomic.block))


def takes_unfinished(facts: ConflictFacts, one: MemoryAccess, other: MemoryAccess) -> bool:
    """Whether one of two conflicting accesses reads and keeps a number that the other one, an
    atomic operation, still adds to.
    """
    if is_optimistic_read(facts, one, other):
        return False
    return any(
        read.kind is AccessKind.LOAD and atomic.kind in ATOMIC and _is_taken(facts, read, atomic)
        for read, atomic in ((one, other), (other, one))
    )


def _is_taken(facts: ConflictFacts, read: MemoryAccess, atomic: MemoryAccess) -> bool:
    """Whether what was read is stored as it is, and not just kept to be merged again."""
    stores = _stores_of(facts, read)
    kept = {facts.points_to.object_of(store) for store in stores}
    return bool(stores) and not all(_is_merged_again(facts, item, atomic) for item in kept)


def _stores_of(facts: ConflictFacts, read: MemoryAccess) -> list[MemoryAccess]:
    copies = [user for user in facts.users.get(read, ()) if unconverted(user) is read]
    return [
        user
        for value in (read, *copies)
        for user in facts.users.get(value, ())
        if isinstance(user, MemoryAccess)
        if user.kind is AccessKind.STORE and user.operands[1] is value
    ]


def _is_merged_again(facts: ConflictFacts, item: MemoryObject | None, atomic: MemoryAccess) -> bool:
    """Whether an array of the block goes into the operation, and into nothing else that stays."""
    if item is None or item.space is not Space.SHARED or atomic.atomic not in _MERGING:
        return False
    object_of = facts.points_to.object_of
    loads = [access for access in facts.accesses if access.reads and object_of(access) is item]
    made = forward_slice(loads, facts.users)
    left = [
        access
        for access in facts.accesses
        if access.writes and object_of(access) is not item
        if not made.isdisjoint(access.operands[1:])
    ]
    return atomic in left and all(_merges_alike(access, atomic) for access in left)


def _merges_alike(access: MemoryAccess, atomic: MemoryAccess) -> bool:
    return access.kind in ATOMIC and access.atomic == atomic.atomic
