"""Which accesses touch bytes that other threads may touch, and which of them may meet.

In: an access. Out: whether it takes part in races at all, and whether it is strong: atomic, or
relaxed and better, as the PTX ISA has it, "Memory Consistency Model". Two strong accesses do not
race as long as each scope covers both threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.operations import AccessKind

if TYPE_CHECKING:
    from ..ir.operations import MemoryAccess

ATOMIC = frozenset({AccessKind.ATOMIC, AccessKind.REDUCTION})
TOUCHING = ATOMIC | {
    AccessKind.LOAD,
    AccessKind.STORE,
    AccessKind.ASYNC_COPY,
    AccessKind.TILE_LOAD,
    AccessKind.TILE_STORE,
}


def is_strong(access: MemoryAccess) -> bool:
    """Whether an access is atomic, or relaxed and better: such accesses do not race."""
    return access.kind in ATOMIC or bool(access.scope)


def reaches_blocks(access: MemoryAccess) -> bool:
    """Whether a strong access is so for threads of other blocks, too."""
    return is_strong(access) and access.scope != "block"
