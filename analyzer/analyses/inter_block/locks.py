"""Locks of a kernel in global memory, and where each may be held.

In: a kernel's facts. Out: what takes a lock, its object, the blocks in which it may be held: behind
a loop that goes on until a swap succeeds (`spins.py`), or where a branch on its result says that it
did, `if (atomicCAS(&lock, 0, 1) == 0)`, and what is given back is given back there.
Not handled: locks whose result goes through variables, conditions of several parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Branch, Compare, MemoryAccess, Opcode, unconverted
from ...ir.values import whole_number
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from .facts import OrderFacts


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock in global memory: the swap that takes it, what holds it, and the blocks of code where
    it may be held.
    """

    read: MemoryAccess
    item: MemoryObject
    held: frozenset[Block]


def locks(facts: OrderFacts) -> Iterator[Lock]:
    """The locks of a kernel in global memory: those that are waited for, then those that
    are tried.
    """
    every = frozenset(facts.flow.blocks)
    waited: set[MemoryAccess] = set()
    for spin in facts.spins:
        if spin.swaps:
            waited.add(spin.read)
            yield Lock(spin.read, spin.item, every - spin.loop.blocks)
    for block in facts.flow.blocks:
        tried = _tried(facts, block)
        if tried is not None and tried.read not in waited:
            yield tried


def _tried(facts: OrderFacts, block: Block) -> Lock | None:
    """A lock that is held on one way out of a block."""
    last = block.terminator
    test = last.condition if isinstance(last, Branch) else None
    if not isinstance(last, Branch) or not isinstance(test, Compare):
        return None
    if test.opcode not in (Opcode.EQ, Opcode.NE):
        return None
    way = last.then if test.opcode is Opcode.EQ else last.otherwise
    for swap, number in (test.operands, reversed(test.operands)):
        read, free = unconverted(swap), whole_number(number)
        if not isinstance(read, MemoryAccess) or free is None or way.predecessors != [block]:
            continue
        if not _takes(read, free) or facts.points_to.space_of(read) is not Space.GLOBAL:
            continue
        item = facts.points_to.object_of(read)
        dominates = facts.flow.dominators.dominates
        held = frozenset(b for b in facts.flow.blocks if dominates(way.index, b.index))
        if item is not None and any(
            each is not read and each.block in held and facts.points_to.object_of(each) is item
            for each in facts.accesses
            if each.writes
        ):
            return Lock(read, item, held)
    return None


def _takes(read: MemoryAccess, free: int) -> bool:
    """Whether a swap puts something else where it has found that the lock is free."""
    if read.atomic == "cas":
        return whole_number(read.operands[1]) == free and whole_number(read.operands[2]) != free
    return read.atomic == "exch" and whole_number(read.operands[1]) not in (None, free)
