"""What integer operations compute, on Python integers: the one definition everybody uses.

In: an opcode, the type it computes in, operands held in the range of that type. Out: the result in
the range of that type (comparisons: 0 or 1), or None where the result is undefined (division by
zero) or the operation is not integer arithmetic. Division truncates toward zero (C, PTX `div`);
shift counts are clamped at the width, as PTX does ("shl", "shr": amounts above 31 clamp).
Floating point is not handled.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import TYPE_CHECKING

from ..source.numbers import truncated
from .operations import Opcode
from .types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .types import Type


def wrap(value: int, type: Type) -> int:
    """`value` reduced to the range of an integer, pointer or predicate type."""
    bits = type.bits
    if bits is None:
        return value
    value &= (1 << bits) - 1
    if type.signed and value >> (bits - 1):
        value -= 1 << bits
    return value


def number_range(type: Type) -> tuple[int, int]:
    """The least and the greatest number that an IR type holds."""
    return _range(type.bits or 64, type.signed)


@cache
def _range(bits: int, signed: bool) -> tuple[int, int]:
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


#: The comparison that holds where this one does not; with NaN neither may hold.
NEGATED = {
    Opcode.LT: Opcode.GE,
    Opcode.GE: Opcode.LT,
    Opcode.GT: Opcode.LE,
    Opcode.LE: Opcode.GT,
    Opcode.EQ: Opcode.NE,
    Opcode.NE: Opcode.EQ,
}
#: Operations of two numbers that may be named in either order.
COMMUTATIVE = frozenset(
    {
        *(Opcode.ADD, Opcode.MUL, Opcode.MUL_HIGH, Opcode.MIN, Opcode.MAX),
        *(Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.EQ, Opcode.NE),
    }
)
#: The comparison that says the same of the operands in the other order.
MIRRORED = {
    Opcode.LT: Opcode.GT,
    Opcode.GT: Opcode.LT,
    Opcode.LE: Opcode.GE,
    Opcode.GE: Opcode.LE,
    Opcode.EQ: Opcode.EQ,
    Opcode.NE: Opcode.NE,
}
_Bounds = tuple[int, int]


def direct_function(
    opcode: Opcode, type: Type, left: _Bounds, right: _Bounds
) -> Callable[[int, int], int] | None:
    """The plain Python function for an opcode, which is as the hardware's while no number leaves
    the type's range.

    The operands lie in the bounds given; None where that is not enough to know.
    """
    if opcode in _SHIFTS and right[0] >= 0 and right[1] < (type.bits or 0):
        return _SHIFTS[opcode]
    if opcode in _DIVISIONS and left[0] >= 0 and right[0] > 0:
        return _DIVISIONS[opcode]
    return _DIRECT.get(opcode)


_SHIFTS: dict[Opcode, Callable[[int, int], int]] = {
    Opcode.SHL: operator.lshift,
    Opcode.SHR: operator.rshift,
}
_DIVISIONS: dict[Opcode, Callable[[int, int], int]] = {
    Opcode.DIV: operator.floordiv,
    Opcode.REM: operator.mod,
}
_DIRECT: dict[Opcode, Callable[[int, int], int]] = {
    Opcode.ADD: operator.add,
    Opcode.SUB: operator.sub,
    Opcode.MUL: operator.mul,
    Opcode.AND: operator.and_,
    Opcode.OR: operator.or_,
    Opcode.XOR: operator.xor,
    Opcode.MIN: min,
    Opcode.MAX: max,
    Opcode.EQ: operator.eq,
    Opcode.NE: operator.ne,
    Opcode.LT: operator.lt,
    Opcode.LE: operator.le,
    Opcode.GT: operator.gt,
    Opcode.GE: operator.ge,
}


def _divide(a: int, b: int) -> int | None:
    return None if b == 0 else truncated(a, b)


def _remainder(a: int, b: int) -> int | None:
    quotient = _divide(a, b)
    return None if quotient is None else a - b * quotient


def _shift_left(a: int, count: int, bits: int) -> int:
    return a << count if 0 <= count < bits else 0


def _shift_right(a: int, count: int, bits: int) -> int:
    return a >> (count if 0 <= count < bits else bits)


_BINARY: dict[Opcode, Callable[[int, int], int | None]] = {
    Opcode.ADD: lambda a, b: a + b,
    Opcode.SUB: lambda a, b: a - b,
    Opcode.MUL: lambda a, b: a * b,
    Opcode.DIV: _divide,
    Opcode.REM: _remainder,
    Opcode.MIN: min,
    Opcode.MAX: max,
    Opcode.AND: lambda a, b: a & b,
    Opcode.OR: lambda a, b: a | b,
    Opcode.XOR: lambda a, b: a ^ b,
    Opcode.EQ: lambda a, b: int(a == b),
    Opcode.NE: lambda a, b: int(a != b),
    Opcode.LT: lambda a, b: int(a < b),
    Opcode.LE: lambda a, b: int(a <= b),
    Opcode.GT: lambda a, b: int(a > b),
    Opcode.GE: lambda a, b: int(a >= b),
}
_UNARY: dict[Opcode, Callable[[int], int]] = {
    Opcode.NOT: lambda a: ~a,
    Opcode.NEG: lambda a: -a,
    Opcode.ABS: abs,
}


_HOLDING_INTEGERS = frozenset({Kind.INTEGER, Kind.POINTER, Kind.PREDICATE})
#: Operations of two integers.
BINARY = _BINARY.keys() | {Opcode.SHL, Opcode.SHR, Opcode.MUL_HIGH}


def evaluate(opcode: Opcode, type: Type, operands: Sequence[int]) -> int | None:
    """The result of an integer operation of the IR; None when undefined or not integer
    arithmetic.
    """
    if type.kind not in _HOLDING_INTEGERS or type.bits is None:
        return None
    result: int | None
    if opcode in _BINARY:
        result = _BINARY[opcode](operands[0], operands[1])
    elif opcode is Opcode.SELECT:
        return operands[1] if operands[0] else operands[2]
    elif opcode is Opcode.NOT and type.kind is Kind.PREDICATE:
        return int(not operands[0])
    elif opcode in _UNARY:
        result = _UNARY[opcode](operands[0])
    elif opcode is Opcode.SHL:
        result = _shift_left(operands[0], operands[1], type.bits)
    elif opcode is Opcode.SHR:
        result = _shift_right(operands[0], operands[1], type.bits)
    elif opcode is Opcode.MUL_HIGH:
        result = (operands[0] * operands[1]) >> type.bits
    else:
        return None
    return None if result is None else wrap(result, type)


@cache
def function_of_two(opcode: Opcode, type: Type) -> Callable[[int, int], int | None]:
    """`evaluate` of this module for one opcode and type, as a function of two integers, each
    wrapped to the type's range first.
    """
    low, high = number_range(type)
    direct = _BINARY.get(opcode) if type.kind in _HOLDING_INTEGERS and type.bits else None

    def function(a: int, b: int) -> int | None:
        if direct is not None and low <= a <= high and low <= b <= high:
            result = direct(a, b)
            if result is not None and low <= result <= high:
                return result
        return evaluate(opcode, type, (wrap(a, type), wrap(b, type)))

    return function
