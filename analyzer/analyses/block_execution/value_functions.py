"""How the result of each operation is computed, found out once for all runs of a kernel.

In: an operation. Out: a function of what a run holds, which gives the vector (`thread_vectors.py`)
of its result. What all threads agree on is computed on integers alone.
Not handled: floating point, which is not known; memory, phis and control flow, see `execution.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ...ir.arithmetic import BINARY, evaluate, function_of_two, number_range, wrap
from ...ir.operations import Compare, Convert, Field, Opcode, Pure
from ...ir.types import Kind
from ..warp_evaluation.lane_functions import function_of_bits
from .thread_vectors import change, chosen, compute, converted, is_integer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ir.operations import Operation
    from ...ir.values import Value
    from .thread_vectors import Vector

_UNARY = frozenset({Opcode.NOT, Opcode.NEG, Opcode.ABS})


class Held(Protocol):
    """What the threads of a run hold in the values of a kernel."""

    known: dict[Value, Vector]
    count: int

    def of(self, value: Value) -> Vector:
        """What is known of a value."""

    def field(self, operation: Field) -> Vector:
        """A member of something."""


def function_of(operation: Operation) -> Callable[[Held], Vector]:
    """The function by which a run computes an operation without effect for all threads of
    a block.
    """
    opcode = operation.opcode
    if isinstance(operation, Convert):
        return _conversion(operation)
    if opcode in BINARY:
        return _of_two(operation)
    if isinstance(operation, Field):
        return lambda held: held.field(operation)
    if opcode is Opcode.SELECT:
        condition, then, otherwise = operation.operands
        return lambda held: chosen(
            held.of(condition), held.of(then), held.of(otherwise), held.count
        )
    of_one = None if operation.type.kind is Kind.FLOAT else _of_one(operation)
    if of_one is None:
        return _unknown
    function, operand = of_one, operation.operands[0]
    return lambda held: change(function, held.of(operand))


def _unknown(_held: Held) -> Vector:
    return None


def _of_one(operation: Operation) -> Callable[[int], int | None] | None:
    """A function of one integer; None where it is none."""
    opcode, type = operation.opcode, operation.type
    if isinstance(operation, Pure):
        return function_of_bits(operation)
    if opcode in _UNARY:
        return lambda entry: evaluate(opcode, type, (wrap(entry, type),))
    return None


def _of_two(operation: Operation) -> Callable[[Held], Vector]:
    """Arithmetic, and comparisons, of two operands."""
    opcode = operation.opcode
    kept = operation.compared if isinstance(operation, Compare) else operation.type
    if kept.kind is Kind.FLOAT:
        return _unknown
    first, second = operation.operands
    of_numbers = function_of_two(opcode, kept)

    def function(held: Held) -> Vector:
        known = held.known
        a, b = known.get(first), known.get(second)
        if a is None:
            a = held.of(first)
        if b is None:
            b = held.of(second)
        if a.__class__ is int and b.__class__ is int:
            return of_numbers(a, b)
        return compute(opcode, kept, a, b, held.count)

    return function


def _conversion(operation: Convert) -> Callable[[Held], Vector]:
    """A change of integer type."""
    (operand,), source, target = operation.operands, operation.source, operation.type
    if not (is_integer(source) and is_integer(target)) or target.kind is Kind.PREDICATE:
        return lambda held: converted(held.of(operand), source, target)
    (low, high), (least, most) = number_range(source), number_range(target)
    low, high = max(low, least), min(high, most)

    def function(held: Held) -> Vector:
        found = held.known.get(operand)
        if found is None:
            found = held.of(operand)
        if found.__class__ is int and low <= found <= high:
            return found
        return converted(found, source, target)

    return function
