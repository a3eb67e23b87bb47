"""Loads that never reach memory, because the value is still in a register.

In: an access and a launch. Out: whether the thread loaded or stored the same bytes shortly before
and nothing came in between that may have changed them: no barrier, no call, no store to another
place of the same memory. `s[t] += s[t + 16]; s[t] += s[t + 8];` loads `s[t]` once.
Looked at are the access's own block and those that control must have come from, one after the
other. Not handled: loads that both arms of an `if` share, which compilers move before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import (
    AccessKind,
    Barrier,
    Call,
    Fence,
    MemoryAccess,
    OpaqueOperation,
    WarpOperation,
)
from .lane_values import LaneValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.operations import Operation
    from .facts import WarpLaunch

#: What keeps accesses in order: somebody else may write memory, or wait for what is written.
ORDERING = (Barrier, Call, Fence, OpaqueOperation, WarpOperation)


def is_reused(launch: WarpLaunch, access: MemoryAccess) -> bool:
    """Whether the lanes of a warp have a load's value in a register already, so that it never
    reaches memory.
    """
    if access.kind is not AccessKind.LOAD or access.volatile:
        return False
    evaluator = launch.evaluator(0)
    wanted = evaluator.value(access.address)
    for earlier in _backwards(access):
        if isinstance(earlier, ORDERING):
            return False
        if not isinstance(earlier, MemoryAccess):
            continue
        plain = earlier.kind in (AccessKind.LOAD, AccessKind.STORE) and not earlier.volatile
        if plain and earlier.width == access.width and earlier.element == access.element:
            if earlier.address is access.address:
                return True
            theirs = evaluator.value(earlier.address)
            if isinstance(theirs, LaneValue) and theirs == wanted:
                return True
        if earlier.writes and _may_touch(launch, earlier, access):
            return False
    return False


def _backwards(access: MemoryAccess) -> Iterator[Operation]:
    """The operations that ran before the access, back to where ways of control meet."""
    block = access.block
    position = block.operations.index(access)
    yield from reversed(block.operations[:position])
    while len(block.predecessors) == 1:
        block = block.predecessors[0]
        yield from reversed(block.operations)


def _may_touch(launch: WarpLaunch, store: MemoryAccess, load: MemoryAccess) -> bool:
    """Whether a store may change what a load reads: unless they lie in different memories."""
    points_to = launch.facts.points_to
    first, second = points_to.object_of(store), points_to.object_of(load)
    if first is None or second is None or first is second:
        return True
    return first.space is second.space and (first.pointee or second.pointee)
