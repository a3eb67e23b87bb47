"""Arithmetic on floats that is done in double precision without anybody asking for it.

In: the values of a kernel. Problem: which operations get doubles that are nothing but floats,
widened by the language, and constants? `x * 0.1` is one, since 0.1 is a double. The compiler does
an operation in floats where that gives the same result: a single operation whose constants are
floats exactly and whose result goes back to float (measured: `x * 2.0`, `1.0 / x`, `x > 0.5`, not
`x * 0.1`, nor `x * 2.0 + y`). A group are the operations that feed each other; one that the
compiler does in floats is left out. Left out as well is what looks meant: kernels that load, store
or get doubles, and groups with a cast to double, or of which a variable or a parameter of a
function of type double holds a result or an operand.
Not handled: PTX, where nothing says what the source meant.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import COMPARISONS, Convert, MemoryAccess, Opcode, Operation, Pure
from ...ir.types import FLOAT64, Kind
from ...ir.values import Constant
from ...source.records import dataclass
from ..dataflow.reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...ir.kernel import Kernel
    from ...ir.values import Value

_ARITHMETIC = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV})
_CHOICES = frozenset({Opcode.MIN, Opcode.MAX})
_COMPUTING = _ARITHMETIC | _CHOICES
_DIVISION, _FUNCTION = 8, 16  # operations on doubles that a quotient and a function are made of


@dataclass(frozen=True, slots=True)
class Promoted:
    """Arithmetic of floats in double precision that feeds itself; `constants` are what
    widened it.
    """

    operations: tuple[Operation, ...]
    constants: tuple[float, ...]

    @property
    def call(self) -> Operation | None:
        """The function, minimum or maximum among them."""
        calls = (each for each in self.operations if is_call(each))
        return next(calls, None)


def is_call(operation: Operation) -> bool:
    """Whether arithmetic in double precision is a call: the overload for double of a function."""
    return isinstance(operation, Pure) or operation.opcode in _CHOICES


def double_work(operation: Operation) -> int:
    """How many operations of the units for doubles one operation in double precision is made of."""
    if isinstance(operation, Pure):
        return _FUNCTION
    return _DIVISION if operation.opcode is Opcode.DIV else 1


def conversions(group: Promoted, users: Mapping[Value, Iterable[Operation]]) -> set[Operation]:
    """The conversions of floats into a group of arithmetic in doubles, and of its results."""
    inside = group.operations
    given = {each for member in inside for each in member.operands if isinstance(each, Convert)}
    taken = {each for member in inside for each in users.get(member, ())}
    return given | {each for each in taken if isinstance(each, Convert)}


def promoted_floats(
    kernel: Kernel, users: Mapping[Value, Iterable[Operation]]
) -> Iterator[Promoted]:
    """The groups of arithmetic on floats that is done in doubles unasked, in the order of the
    kernel.
    """
    if kernel.language != "cuda" or _uses_doubles(kernel):
        return
    held = {each.value for each in kernel.definitions if each.value.type == FLOAT64}
    done: set[Operation] = set()
    for operation in kernel.operations():
        if operation in done or not _is_double(operation):
            continue
        group = _group(operation, users)
        done |= group
        given = {v for each in group for v in each.operands if isinstance(v, Operation)}
        if (group | given) & held or not _is_of_floats(group) or _is_narrowed(group, users):
            continue
        ordered = tuple(each for each in kernel.operations() if each in group)
        constants = [
            each.value
            for member in ordered
            for each in member.operands
            if isinstance(each, Constant) and isinstance(each.value, float)
        ]
        yield Promoted(ordered, tuple(dict.fromkeys(constants)))


def _uses_doubles(kernel: Kernel) -> bool:
    """Whether the kernel computes with doubles because its data are doubles."""
    if any(each.type == FLOAT64 for each in kernel.parameters):
        return True
    if any(each.element == FLOAT64 and each.space is not Space.LOCAL for each in kernel.objects):
        return True
    return any(
        isinstance(each, MemoryAccess)
        and (each.type == FLOAT64 or any(v.type == FLOAT64 for v in each.operands[1:]))
        for each in kernel.operations()
    )


def _is_double(operation: Operation) -> bool:
    """Whether an operation computes in double precision."""
    if operation.opcode in COMPARISONS:
        return any(each.type == FLOAT64 for each in operation.operands)
    if isinstance(operation, Pure):
        return operation.type == FLOAT64 and operation.function is not Function.SHOWN
    return operation.type == FLOAT64 and operation.opcode in _COMPUTING


def _group(start: Operation, users: Mapping[Value, Iterable[Operation]]) -> set[Operation]:
    """The operations in double precision that feed each other."""

    def fed(operation: Operation) -> Iterator[Operation]:
        for other in (*operation.operands, *users.get(operation, ())):
            if isinstance(other, Operation) and _is_double(other):
                yield other

    return set(reachable([start], fed))


def _is_of_floats(group: set[Operation]) -> bool:
    """Whether all that goes in are floats, widened by the language, and constants."""
    widened = False
    for operation in group:
        for value in operation.operands:
            if isinstance(value, Constant) or value in group:
                continue
            if not isinstance(value, Convert) or value.written:
                return False
            if value.source.kind is Kind.FLOAT and value.source.bits == 32:
                widened = True
            elif value.source.kind is not Kind.INTEGER:
                return False
    return widened


def _is_narrowed(group: set[Operation], users: Mapping[Value, Iterable[Operation]]) -> bool:
    """Whether the compiler does the same in floats."""
    if len(group) > 1:
        return False
    (operation,) = group
    if is_call(operation) or not all(map(_is_exact, operation.operands)):
        return False
    if operation.opcode in COMPARISONS:
        return True
    return all(_goes_back(each) for each in users.get(operation, ()))


def _is_exact(value: Value) -> bool:
    """Whether a float holds a number as it is."""
    if not isinstance(value, Constant):
        return True
    try:
        return bool(struct.unpack("f", struct.pack("f", value.value))[0] == value.value)
    except (OverflowError, struct.error):
        return False


def _goes_back(user: Operation) -> bool:
    """Whether a result is put into a float again, or into something that may be one."""
    if user.type.kind is Kind.UNKNOWN:
        return True
    return isinstance(user, Convert) and user.type.kind is Kind.FLOAT and user.type.bits == 32
