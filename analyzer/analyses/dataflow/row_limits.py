"""How long the rows can be that a kernel walks along: none reaches into the next one.

In: a kernel's operations and its control flow. Out: for a parameter that ends a loop, the most that
it can be where the loop's counter is a place in rows of a constant pitch, `tile[i * 136 + j]` with
`j < columns`: the author lays out rows for it to be 136 at most. The same for one that places are
divided by, `tile[i / columns * 136 + i % columns]`. Not read: bounds that are made of
a parameter, such as `n / 4`, places that are threads (a block may well be larger than a row), sizes
of arrays that lie before (`double *s = (double *)(x + n)`), and what comes behind the first 100
parts of an address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import MemoryAccess, Opcode, Operation, Phi, unconverted
from ...ir.values import Parameter
from .affine import affine
from .induction import loop_tests

if TYPE_CHECKING:
    from ...ir.kernel import Kernel
    from ...ir.values import Value
    from .control_flow import ControlFlow

_ELEMENT = 16  # bytes of the largest vector
_DIVIDING = frozenset({Opcode.DIV, Opcode.REM})


def row_limits(kernel: Kernel, flow: ControlFlow) -> dict[Parameter, int]:
    """The greatest value of each size in a parameter that is the length of a row, by the steps of
    addresses.
    """
    ends = _loop_ends(flow)
    divides = any(each.opcode in _DIVIDING and _divisor(each) for each in kernel.operations())
    limits: dict[Parameter, int] = {}
    for operation in kernel.operations() if ends or divides else ():
        if isinstance(operation, MemoryAccess):
            parts = affine(operation.address).factors
            for index, step in parts.items():
                remainder = _remainder_by(index) if divides else None
                rest = () if remainder is None else (remainder,)
                for length in (*ends.get(index, ()), *rest):
                    rows = _row(step, _pitches(parts, length))
                    if rows is not None:
                        limits[length] = min(rows, limits.get(length, rows))
    return limits


def _pitches(parts: dict[Value, int], length: Parameter) -> set[int]:
    """What lies between rows, not what arrays behind each other are made of: `(int *)(x + n)`."""
    return {
        factor
        for each, factor in parts.items()
        if each is not length
        if factor > _ELEMENT or not isinstance(each, Parameter)
    }


def _row(step: int, factors: set[int]) -> int | None:
    """The elements of the shortest row that steps of so many bytes fill."""
    return min((f // step for f in factors if f > step > 0 and f % step == 0), default=None)


def _remainder_by(index: Value) -> Parameter | None:
    """The parameter `n` where an index is `i % n`, or `i - i / n * n`, as compilers put it."""
    index = unconverted(index)
    if not isinstance(index, Operation):
        return None
    if index.opcode is Opcode.REM:
        return _divisor(index)
    taken = unconverted(index.operands[1]) if index.opcode is Opcode.SUB else None
    if not isinstance(taken, Operation) or taken.opcode is not Opcode.MUL:
        return None
    whole = unconverted(index.operands[0])
    for quotient, length in (taken.operands, taken.operands[::-1]):
        part = unconverted(quotient)
        if not isinstance(part, Operation) or part.opcode is not Opcode.DIV:
            continue
        if unconverted(part.operands[0]) is whole and _divisor(part) is unconverted(length):
            return _divisor(part)
    return None


def _divisor(quotient: Operation) -> Parameter | None:
    """The parameter that something is divided by."""
    divisor = unconverted(quotient.operands[1])
    return divisor if isinstance(divisor, Parameter) else None


def _loop_ends(flow: ControlFlow) -> dict[Value, list[Parameter]]:
    """The parameters that the counters of loops are held against."""
    found: dict[Value, list[Parameter]] = {}
    for test in (test for loop in flow.loops for test in loop_tests(loop)):
        length = unconverted(test.bound)
        ends = test.opcode is not Opcode.EQ and isinstance(test.tested, Phi)
        if ends and isinstance(length, Parameter):
            found.setdefault(test.tested, []).append(length)
    return found
