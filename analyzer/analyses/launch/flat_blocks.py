"""Whether a kernel is made for rows of threads: it numbers them along x, or all of them in a row.

In: a kernel. Out: whether it never asks for threadIdx.y or z, nor for the sizes along them, but to
number all threads of the block in a row, x first, as the rank in a thread block of cooperative
groups does (`x + size.x * (y + size.y * z)`), and to count them. Such a number is the same in a row
of as many threads.
Not handled: numbers that are made of two indices alone, which authors of blocks with rows write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation, users_of
from ...ir.values import Special, SpecialRegister

if TYPE_CHECKING:
    from ...ir.kernel import Kernel
    from ...ir.values import Value

_SIZES = (Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y, Special.BLOCK_SIZE_Z)
_OF_ROWS = frozenset([Special.THREAD_Y, Special.THREAD_Z, *_SIZES[1:]])


def is_flat(kernel: Kernel) -> bool:
    """Whether a kernel is made for flat blocks: it numbers threads along x, or all of them in a
    row.
    """
    asking = [
        operation
        for operation in kernel.operations()
        if any(_register(operand) in _OF_ROWS for operand in operation.operands)
    ]
    if not asking:
        return True
    wholes: dict[Operation, set[Operation]] = {}
    for operation in kernel.operations():
        parts = _numbers(operation) or _counts(operation)
        if parts:
            wholes[operation] = parts
    numbering = set().union(*wholes.values())
    # Nobody takes a part of the number by itself, as the number of a row.
    inner = numbering - wholes.keys()
    users = users_of(kernel.operations())
    return numbering.issuperset(asking) and all(
        numbering.issuperset(users.get(part, ())) for part in inner
    )


def _register(value: Value) -> Special | None:
    return value.register if isinstance(value, SpecialRegister) else None


def _numbers(operation: Operation) -> set[Operation]:
    """The operations of `x + size.x * (y + size.y * z)`; none if that is not computed here."""
    found: set[Operation] = set()
    value: Value = operation
    for index, size in ((Special.THREAD_X, _SIZES[0]), (Special.THREAD_Y, _SIZES[1])):
        if not isinstance(value, Operation) or value.opcode is not Opcode.ADD:
            return set()
        scaled = _other(value, index)
        if not isinstance(scaled, Operation) or scaled.opcode is not Opcode.MUL:
            return set()
        found |= {value, scaled}
        inner = _other(scaled, size)
        if inner is None:
            return set()
        value = inner
    return found if _register(value) is Special.THREAD_Z else set()


def _other(operation: Operation, register: Special) -> Value | None:
    """The operand beside a register."""
    first, second = operation.operands
    if _register(first) is register:
        return second
    return first if _register(second) is register else None


def _counts(operation: Operation) -> set[Operation]:
    """The operations of a product of all three sizes."""
    if operation.opcode is not Opcode.MUL:
        return set()
    parts: list[Value] = [operation]
    found: set[Operation] = set()
    sizes: list[Special | None] = []
    while parts:
        part = parts.pop()
        if isinstance(part, Operation) and part.opcode is Opcode.MUL:
            found.add(part)
            parts += part.operands
        else:
            sizes.append(_register(part))
    return found if sorted(map(str, sizes)) == sorted(map(str, _SIZES)) else set()
