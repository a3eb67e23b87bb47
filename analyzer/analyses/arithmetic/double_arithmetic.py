"""Arithmetic in double precision, in groups of operations that feed each other.

In: the values of a kernel. Out: the groups, each with what makes it double: constants that are
written as doubles, and calls of functions for doubles that get none. C++ computes in doubles from
one such operand on, up to a conversion back; so the operations of a group are owed to all of them
together, and none is saved before all are gone. `sqrt(2.0 / M_PI) * x` is one multiplication: what
has constants alone is computed by the compiler (measured), which does an operation in floats where
that gives the same result: a single operation whose constants are floats exactly and whose result
goes back to float (measured: `x * 2.0`, `1.0 / x`, `x > 0.5`, not `x * 0.1`, nor `x * 2.0 + y`).
Not handled: functions of constants that the compiler does not know, such as `erf`, and what it
makes of the others.
"""

from __future__ import annotations

import operator
import struct
from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function
from ...ir.operations import COMPARISONS, Convert, Opcode, Operation, Pure
from ...ir.types import FLOAT64, Kind
from ...ir.values import Constant
from ...source.records import dataclass
from ..dataflow.reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ...ir.kernel import Kernel
    from ...ir.values import Value

    Users = Mapping[Value, Iterable[Operation]]
    _Numbers = Mapping[Value, float | None]

_ARITHMETIC: dict[Opcode, Callable[[float, float], float]] = {
    Opcode.ADD: operator.add,
    Opcode.SUB: operator.sub,
    Opcode.MUL: operator.mul,
    Opcode.DIV: operator.truediv,
}
_CHOICES: dict[Opcode, Callable[[float, float], float]] = {Opcode.MIN: min, Opcode.MAX: max}
_COMPUTING = {**_ARITHMETIC, **_CHOICES}
_DIVISION, _FUNCTION = 8, 16  # operations on doubles that a quotient and a function are made of


@dataclass(frozen=True, slots=True)
class DoubleArithmetic:
    """Arithmetic in double precision that feeds itself, and what makes it double."""

    operations: tuple[Operation, ...]
    written: tuple[Operation, ...]  # with those of constants alone, which the compiler computes
    narrowed: bool  # the compiler does the same in floats

    @property
    def calls(self) -> tuple[Operation, ...]:
        """The functions for doubles, minima and maxima that get nothing that was computed in
        doubles: their own arguments choose them. Those of constants alone get no double at all.
        """
        inside = set(self.operations)
        return tuple(
            each
            for each in self.written
            if is_call(each)
            and (
                inside.isdisjoint(each.operands)
                if each in inside
                else not any(map(_may_widen, each.operands))
            )
        )

    @property
    def constants(self) -> tuple[float, ...]:
        """The constants that are written as doubles, but for arguments of functions among `calls`,
        which are called by another name.
        """
        renamed = {each for each in self.calls if isinstance(each, Pure)}
        found = (
            each.value
            for member in self.written
            if member not in renamed
            for each in member.operands
            if isinstance(each, Constant) and _may_widen(each)
        )
        return tuple(dict.fromkeys(found))


def _may_widen(value: Value) -> bool:
    """Whether a value is more than a float or a whole number that was widened."""
    if isinstance(value, Constant):
        return isinstance(value.value, float) and not value.widened
    return True


def is_call(operation: Operation) -> bool:
    """Whether arithmetic in double precision is a call: the overload for double of a function."""
    return isinstance(operation, Pure) or operation.opcode in _CHOICES


def double_work(operation: Operation) -> int:
    """How many operations of the units for doubles one operation in double precision is made of."""
    if isinstance(operation, Pure):
        return _FUNCTION
    return _DIVISION if operation.opcode is Opcode.DIV else 1


def conversions(group: DoubleArithmetic, users: Users) -> set[Operation]:
    """The conversions of floats into a group of arithmetic in doubles, and of its results."""
    inside = group.operations
    given = {each for member in inside for each in member.operands if isinstance(each, Convert)}
    taken = {each for member in inside for each in users.get(member, ())}
    return given | {each for each in taken if isinstance(each, Convert)}


def double_arithmetic(kernel: Kernel, users: Users) -> Iterator[DoubleArithmetic]:
    """The groups of arithmetic in doubles, in the order of the kernel."""
    places: dict[Operation, int] = {}
    for place, operation in enumerate(kernel.operations()):
        if _is_double(operation):
            places[operation] = place
    done: set[Operation] = set()
    for operation in places:
        if operation in done:
            continue
        group = _group(operation, users)
        done |= group
        written = tuple(sorted(group, key=places.__getitem__))
        folded = _of_constants(written)
        left = tuple(each for each in written if each not in folded)
        if left:
            narrowed = len(left) == 1 and _is_narrowed(left[0], folded, users)
            yield DoubleArithmetic(left, written, narrowed)


def _is_double(operation: Operation) -> bool:
    """Whether an operation computes in double precision."""
    if operation.opcode in COMPARISONS:
        return any(each.type == FLOAT64 for each in operation.operands)
    if isinstance(operation, Pure):
        return operation.type == FLOAT64 and operation.function is not Function.SHOWN
    return operation.type == FLOAT64 and operation.opcode in _COMPUTING


def _group(start: Operation, users: Users) -> set[Operation]:
    """The operations in double precision that feed each other."""

    def fed(operation: Operation) -> Iterator[Operation]:
        for other in (*operation.operands, *users.get(operation, ())):
            if isinstance(other, Operation) and _is_double(other):
                yield other

    return set(reachable([start], fed))


def _of_constants(ordered: Sequence[Operation]) -> dict[Value, float | None]:
    """The operations that have constants alone, with their numbers, where these are known."""
    found: dict[Value, float | None] = {}
    for operation in ordered:
        operands = operation.operands
        if operands and all(isinstance(each, Constant) or each in found for each in operands):
            found[operation] = _number(operation, found)
    return found


def _number(operation: Operation, known: _Numbers) -> float | None:
    function = _COMPUTING.get(operation.opcode)
    numbers = [_known(each, known) for each in operation.operands]
    found = [each for each in numbers if each is not None]
    if function is None or len(found) < len(numbers):
        return None
    try:
        return float(function(*found))
    except ArithmeticError:
        return None


def _known(value: Value, known: _Numbers) -> float | None:
    return float(value.value) if isinstance(value, Constant) else known.get(value)


def _is_narrowed(operation: Operation, folded: _Numbers, users: Users) -> bool:
    """Whether the compiler does an operation in floats that has no other double beside it."""
    if is_call(operation):
        return False
    for value in operation.operands:
        constant = isinstance(value, Constant) or value in folded
        if constant and not _is_exact(_known(value, folded)):
            return False
    if operation.opcode in COMPARISONS:
        return True
    return all(_goes_back(each) for each in users.get(operation, ()))


def _is_exact(number: float | None) -> bool:
    """Whether a float holds a number as it is; of one that is not known that is unlikely."""
    if number is None:
        return False
    try:
        return bool(struct.unpack("f", struct.pack("f", number))[0] == number)
    except (OverflowError, struct.error):
        return False


def _goes_back(user: Operation) -> bool:
    """Whether a result is put into a float again, or into something that may be one."""
    if user.type.kind is Kind.UNKNOWN:
        return True
    return isinstance(user, Convert) and user.type.kind is Kind.FLOAT and user.type.bits == 32
