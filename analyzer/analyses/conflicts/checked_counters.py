"""Counters that are read first and counted up after: others count in between.

In: two accesses to one place. Out: whether one reads it as any load does, and the other is an
atomic addition of the same kernel that is made by a comparison of what was read, while nobody looks
at what the addition returns: `if (count < n) atomicAdd(&count, 1)` goes beyond n. Looking first and
asking the result again is how to spare atomic operations, and fine; so are minima and maxima.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import (
    AccessKind,
    MemoryAccess,
    unconverted,
)
from ..pointers.counted_blocks import COUNTING
from ..pointers.memory_model import ATOMIC
from ..pointers.provenance import comparisons, orders

if TYPE_CHECKING:
    from .facts import ConflictFacts


def is_checked_count(facts: ConflictFacts, one: MemoryAccess, other: MemoryAccess) -> bool:
    """Whether one of two conflicting accesses reads a counter, and decides whether the other adds
    to it.
    """
    for read, count in ((one, other), (other, one)):
        if read.kind is not AccessKind.LOAD or count.kind not in ATOMIC:
            continue
        if count.atomic not in COUNTING or facts.is_used(count):
            continue
        for condition in facts.flow.conditions(count.block):
            for part in comparisons(condition):
                if orders(part) and read in map(unconverted, part.operands):
                    return True
    return False
