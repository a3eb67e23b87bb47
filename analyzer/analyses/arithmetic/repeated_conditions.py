"""Conditions that are written twice, and values that are compared with themselves.

In: a kernel. Out: `a && a`, `a || a` and comparisons of a value with itself, where both sides are
written and computed alike (value numbering): what a macro, a call or the instance of a template
makes of two different names is none. Comparisons of floats are left out, `x != x` asks for NaN, as
are constants, and values loaded from memory, which may change in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Compare, Opcode, Operation
from ...ir.types import Kind
from ...ir.values import Constant, Parameter
from ...source.records import dataclass
from ..dataflow.slices import loads_in
from ..dataflow.value_numbering import alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Kernel
    from ...ir.values import Value

_CONNECTING = frozenset({Opcode.AND, Opcode.OR})


@dataclass(frozen=True, slots=True)
class RepeatedCondition:
    """A condition that is written twice, or a comparison of a value with itself."""

    operation: Operation
    connects: bool  # two conditions; else a value compared with itself


def repeated_conditions(kernel: Kernel) -> Iterator[RepeatedCondition]:
    """The conditions written twice and comparisons of a value with itself, in the
    kernel's order.
    """
    if not kernel.written_twice:
        return
    for operation in kernel.operations():
        if operation not in kernel.written_twice:
            continue
        first, second = operation.operands
        if operation.opcode in _CONNECTING and operation.type.kind is Kind.PREDICATE:
            if any(each is not second and _are_alike(each, second) for each in _row(operation)):
                yield RepeatedCondition(operation, connects=True)
        elif isinstance(operation, Compare) and _are_equal_integers(first, second):
            yield RepeatedCondition(operation, connects=False)


def _row(operation: Operation) -> Iterator[Operation]:
    """The conditions that stand before the last one of a row: a and b of `a && b && c`."""
    left = operation.operands[0]
    if isinstance(left, Operation):
        yield left
        if left.opcode is operation.opcode:
            yield from (each for each in left.operands[1:] if isinstance(each, Operation))
            yield from _row(left)


def _are_equal_integers(first: Value, second: Value) -> bool:
    known = isinstance(first, Operation | Parameter) and first.type.kind is Kind.INTEGER
    return known and _are_alike(first, second)


def _are_alike(first: Value, second: Value) -> bool:
    if isinstance(first, Constant) or isinstance(second, Constant):
        return False
    return not loads_in(first) and alike(first, second)
