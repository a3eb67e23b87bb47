"""The last block, which finds by a count that all others have counted.

In: a kernel's facts and an atomic count in global memory. Out: the blocks of the kernel that run as
a comparison of that count decides, whether the thread that counted compares it or the threads of
its block do, by a variable in shared memory. And whether what they read there is what all blocks
left: each block writes a place of its own, or adds to one place.
Not handled: a count that is kept in an array or behind an unknown pointer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Branch, MemoryAccess
from ..block_execution.launch_values import BLOCK_INDEX
from ..dataflow.slices import forward_slice, registers_in

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.values import Value
    from .facts import OrderFacts

COUNTING = frozenset({"add", "inc", "dec", "sub"})
_BLOCK = set(BLOCK_INDEX)


def is_count(access: MemoryAccess) -> bool:
    """Whether an access counts, atomically."""
    return access.kind is AccessKind.ATOMIC and access.atomic in COUNTING


def decided_by_count(facts: OrderFacts, count: MemoryAccess) -> set[Block]:
    """The blocks that run by a comparison of the count, itself or kept in shared memory."""
    counts = forward_slice([count], facts.users)
    kept = {
        facts.points_to.object_of(access)
        for access in facts.accesses
        if access.kind is AccessKind.STORE and access.operands[-1] in counts
        if facts.points_to.space_of(access) is Space.SHARED
    } - {None}
    loads: list[Value] = [
        access
        for access in facts.accesses
        if kept and access.kind is AccessKind.LOAD and facts.points_to.object_of(access) in kept
    ]
    counts |= forward_slice(loads, facts.users)
    behind = facts.flow.decided_by(
        block
        for block in facts.kernel.blocks
        if isinstance(block.terminator, Branch) and block.terminator.condition in counts
    )
    if any(each.block in behind and each.address in counts for each in facts.accesses):
        return set()  # a place of its own for each thread: `if (i < room) list[i] = x`
    return behind


def is_of_others(data: MemoryAccess, reader: MemoryAccess) -> bool:
    """Whether each block writes a place of its own, and the reader goes over those of all."""
    return bool(_BLOCK & registers_in(data.address) - registers_in(reader.address))
