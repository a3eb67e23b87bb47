"""Loads that find the same number: those of one place to which the kernel does not write any more.

Problem: `if (q[0] < q[1] && q[1] < n)` loads `q[1]` twice; a run that takes two numbers for it does
what nobody can launch. In: the accesses of a kernel, and which objects it may write. Out: for each
load of a number whose place is the same in all iterations of loops, the first one of that place.
What a block keeps for itself may be written before: a path from a load to a store is what counts.
Not handled: loads between stores to other elements, and volatile ones; pointers are taken to lead
to different memory unless points-to says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess, Phi
from ...ir.types import Kind
from ..dataflow.paths import can_reach
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from ..pointers.facts import PointerFacts

_OF_THE_BLOCK = frozenset({Space.SHARED, Space.LOCAL})


def repeated_loads(facts: PointerFacts) -> Mapping[MemoryAccess, MemoryAccess]:
    """For each load of a run the first one of its place; none for those that may find different
    numbers.
    """
    names = ValueNumbering()
    first: dict[Hashable, MemoryAccess] = {}
    found: dict[MemoryAccess, MemoryAccess] = {}

    def stays(load: MemoryAccess) -> bool:
        item = facts.points_to.object_of(load)
        if load.kind is not AccessKind.LOAD or load.volatile or item is None:
            return False
        written = [*facts.writers.get(item, ()), *facts.writers.get(None, ())]
        if item.space not in _OF_THE_BLOCK:
            return not written  # other blocks may write at any time
        return not any(can_reach(facts.flow, load, each) for each in written)

    for access in facts.accesses:
        if access.type.kind is not Kind.INTEGER or not stays(access):
            continue
        made_of = backward_slice(access.address)
        if not any(
            isinstance(e, Phi) or (isinstance(e, MemoryAccess) and not stays(e)) for e in made_of
        ):
            found[access] = first.setdefault(names.of(access), access)
    return found
