"""Constants of PTX (ISA 4.5): expressions evaluated in 64 bits, literals in an instruction's type.

In: an operand. Out: its integer value, or None when it is not a constant; or an IR constant with
the bits of the literal read as the type says. The results of operations that PTX does on unsigned
operands differ only where values exceed 63 bits.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ...ir.types import UINT64, Kind
from ...ir.values import Constant
from ...source.numbers import bounded
from .tree import Arguments, Binary, Cast, Conditional, Number, Parentheses, Unary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...ir.types import Type

_NUMERIC = (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE)

_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: a - b * (abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}


def evaluate_constant(operand: object) -> int | None:
    """The value of a constant expression of PTX; its nesting is bounded by the parser."""
    match operand:
        case Number(floating=False, value=int(value)):
            return value
        case Parentheses(inner) | Cast(_, inner) | Arguments((inner,)):
            return evaluate_constant(inner)
        case Unary(operator, inner):
            return _unary(operator, evaluate_constant(inner))
        case Binary(operator, left, right):
            a, b = evaluate_constant(left), evaluate_constant(right)
            if a is None or b is None or (operator in "/%" and b == 0):
                return None
            return _narrow(_OPERATORS[operator](a, b))
        case Conditional(condition, then, otherwise):
            chosen = evaluate_constant(condition)
            return None if chosen is None else evaluate_constant(then if chosen else otherwise)
        case _:
            return None


def extent_of(operand: object) -> int | None:
    """How many elements a PTX array has along one dimension; None where that is not known.

    A number below zero is none that ptxas accepts, and says nothing.
    """
    count = None if operand is None else evaluate_constant(operand)
    return None if count is None or count < 0 else count


def array_size(element: int, extents: Iterable[object]) -> int | None:
    """The bytes of a PTX array of elements of so many; None where a dimension is not known."""
    size: int | None = element
    for extent in extents:
        count = extent_of(extent)
        size = None if size is None or count is None else bounded(size * count)
    return size


def _unary(operator: str, value: int | None) -> int | None:
    if value is None:
        return None
    return {"-": -value, "+": value, "~": ~value, "!": int(not value)}[operator]


def _narrow(value: int) -> int:
    """A result as a signed number of 64 bits, or an unsigned one that fits no signed."""
    if -(1 << 63) <= value < (1 << 64):
        return value
    return value & ((1 << 64) - 1)


# ---- literals in the type of an instruction ------------------------------------------------------


def number_as(number: Number, type: Type, *, negative: bool = False) -> Constant:
    """A PTX literal in the type of its instruction."""
    value = -number.value if negative else number.value
    if type.kind is Kind.FLOAT:
        if number.floating:
            return Constant(type, value)
        return reinterpret(Constant(UINT64, int(value)), type)
    if number.floating and type.kind in _NUMERIC:
        width = 64 if type.bits == 64 else 32
        return Constant(type, _wrapped(_float_bits(float(value), width), type))
    return Constant(type, _wrapped(value, type) if isinstance(value, int) else value)


def reinterpret(constant: Constant, type: Type) -> Constant:
    """The bits of a PTX constant read as another type."""
    value = constant.value
    if constant.type.kind is Kind.FLOAT:
        if type.kind is Kind.FLOAT:
            return constant
        bits = _float_bits(float(value), constant.type.bits or 32)
        return Constant(type, _wrapped(bits, type))
    if type.kind is Kind.FLOAT:
        return Constant(type, _float_of(int(value), type.bits or 32))
    return Constant(type, _wrapped(int(value), type))


def _wrapped(value: int, type: Type) -> int:
    bits = type.bits
    if bits is None or type.kind not in _NUMERIC:
        return value
    if type.kind is Kind.PREDICATE:
        return int(bool(value))
    value &= (1 << bits) - 1
    return value - (1 << bits) if type.signed and value >> (bits - 1) else value


_FLOATS = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def _float_bits(value: float, width: int) -> int:
    real, whole = _FLOATS.get(width, _FLOATS[32])
    try:
        return int(struct.unpack(whole, struct.pack(real, value))[0])
    except OverflowError:
        return 0x7F800000 if width == 32 else 0x7C00


def _float_of(value: int, width: int) -> float:
    real, whole = _FLOATS.get(width, _FLOATS[32])
    mask = (1 << (8 * struct.calcsize(whole))) - 1
    return float(struct.unpack(real, struct.pack(whole, value & mask))[0])
