"""The arithmetic of constant expressions: operators and functions of <cmath> on numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ....source.numbers import truncated

if TYPE_CHECKING:
    from collections.abc import Callable

Number = int | float


def _divide(a: Number, b: Number) -> Number | None:
    if b == 0:
        return None
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return truncated(a, b)


def _integers(a: Number, b: Number) -> bool:
    return isinstance(a, int) and isinstance(b, int)


def call_mathematics(name: str, arguments: list[Number]) -> Number | None:
    """What a function of <cmath> returns; None where it has no value."""
    try:
        return float(MATHEMATICS[name](*map(float, arguments)))
    except (ArithmeticError, ValueError, TypeError):
        return None


def apply(op: str, a: Number, b: Number) -> Number | None:
    """What an operator makes of two numbers in constant C++; None where it has no value."""
    if op in ("/", "%"):
        quotient = _divide(a, b)
        if op == "/" or quotient is None:
            return quotient
        return a - b * quotient if _integers(a, b) else None
    if op in _BITWISE:
        if isinstance(a, int) and isinstance(b, int) and not (op in ("<<", ">>") and b > 128):
            return int(_BITWISE[op](a, b))
        return None
    function = _PLAIN.get(op)
    return None if function is None else function(a, b)


MATHEMATICS: dict[str, Callable[..., float]] = {
    **dict.fromkeys(("ceil", "ceilf"), math.ceil),
    **dict.fromkeys(("floor", "floorf"), math.floor),
    **dict.fromkeys(("sqrt", "sqrtf"), math.sqrt),
    **dict.fromkeys(("log2", "log2f"), math.log2),
    **dict.fromkeys(("pow", "powf"), math.pow),
}
_BITWISE: dict[str, Any] = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b if b >= 0 else 0,
    ">>": lambda a, b: a >> b if b >= 0 else 0,
}
_PLAIN: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}
