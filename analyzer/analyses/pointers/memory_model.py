"""Which accesses touch bytes that other threads may touch, and which of them may meet.

In: an access. Out: whether it takes part in races at all, and whether it is strong: atomic, or
relaxed and better, as the PTX ISA has it, "Memory Consistency Model". Two strong accesses do not
race as long as each scope covers both threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, Field, MemoryAccess, Opcode, unconverted
from ...ir.values import whole_number

if TYPE_CHECKING:
    from typing import TypeGuard

    from ...ir.values import Value

_KEEPING_WITH_ZERO = frozenset({"add", "sub", "or", "xor"})
ATOMIC = frozenset({AccessKind.ATOMIC, AccessKind.REDUCTION})
TOUCHING = ATOMIC | {
    AccessKind.LOAD,
    AccessKind.STORE,
    AccessKind.ASYNC_COPY,
    AccessKind.MATRIX_LOAD,
    AccessKind.TILE_LOAD,
    AccessKind.TILE_STORE,
}


def is_strong(access: MemoryAccess) -> bool:
    """Whether an access is strong in the memory model: atomic, or relaxed and better; such do not
    race.
    """
    return access.kind in ATOMIC or bool(access.scope)


def is_part(value: Value) -> TypeGuard[Field]:
    """Whether a value of the IR is a member of another one: `pixel.x`."""
    return isinstance(value, Field) and value.opcode is Opcode.EXTRACT


def copied_from(store: MemoryAccess) -> MemoryAccess | None:
    """The load whose value a store copies, or of a vector that it is a part of, if nothing but its
    type is changed.
    """
    if store.kind is not AccessKind.STORE or len(store.operands) < 2:
        return None
    value = unconverted(store.operands[1])
    if is_part(value):
        value = value.operands[0]
    return value if isinstance(value, MemoryAccess) and value.kind is AccessKind.LOAD else None


def only_reads(access: MemoryAccess) -> bool:
    """Whether an atomic operation is a load: `atomicAdd(flag, 0)`, `atomicCAS(flag, 0, 0)`."""
    number = whole_number(access.operands[-1])
    if access.atomic == "cas":
        return number is not None and whole_number(access.operands[1]) == number
    return access.atomic in _KEEPING_WITH_ZERO and number == 0


def reaches_blocks(access: MemoryAccess) -> bool:
    """Whether an access is strong in the memory model for threads of other blocks, too."""
    return is_strong(access) and not is_of_block(access)


def is_of_block(access: MemoryAccess) -> bool:
    """Whether an access is strong in the memory model for the threads of its own block only."""
    return access.scope == "block"


def is_lost_store(one: MemoryAccess, other: MemoryAccess) -> bool:
    """Whether of two accesses to one place a plain store may be lost to an atomic operation, which
    does not leave the same there.

    It may be volatile: that tells the compiler something, and other threads nothing.
    """
    return any(
        store.kind is AccessKind.STORE and atomic.kind in ATOMIC and not _leaves_same(store, atomic)
        for store, atomic in ((one, other), (other, one))
    )


def _leaves_same(store: MemoryAccess, atomic: MemoryAccess) -> bool:
    if atomic.atomic != "exch":
        return False
    numbers = [whole_number(each.operands[1]) for each in (store, atomic)]
    return numbers[0] is None or numbers[0] == numbers[1]
