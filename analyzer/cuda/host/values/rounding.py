"""What host code rounds to a whole number, as a formula: `ceil(n / 256.0)`, `floor(w * h / 16)`.

In: the expression that is rounded, what reads whole numbers of it, and the form of its types. Out:
a formula over whole numbers. A quotient of integers is rounded before anything sees it, so
`ceil(n / 256)` is `n / 256`; that of a float is kept as a fraction until it is rounded. Sizes are
not negative. Not handled: factors as 0.1, roots and powers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ....ir.host_formulas import applied
from ...lowering.model.ctypes import Form
from ...lowering.types.number_literals import literal
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....ir.host_formulas import Formula
    from ...lowering.types.constant_arithmetic import Number

    Read = Callable[[Any], Formula | None]
    FormOf = Callable[[Any], Form]
    Fraction = tuple[Formula, Formula]

_UP, _DOWN, _NEAREST = "up", "down", "nearest"
ROUNDINGS = {
    **dict.fromkeys(("ceil", "ceilf", "ceill"), _UP),
    **dict.fromkeys(("floor", "floorf", "floorl", "trunc", "truncf"), _DOWN),
    **dict.fromkeys(("round", "roundf", "lround", "rint", "rintf", "lrint"), _NEAREST),
}
_FINEST = 1 << 10
_CASTS = c_ast.Cast | nodes.NamedCast
_ARITHMETIC = frozenset("+-*/")


def rounded(name: str, node: Any, read: Read, form_of: FormOf) -> Formula | None:
    """The formula of a call that rounds, by the name of its function."""
    fraction = _fraction(node, read, form_of)
    if fraction is None:
        return None
    over, under = fraction
    added: Formula | None = 0
    if ROUNDINGS[name] == _UP:
        added = applied("-", under, 1)
    elif ROUNDINGS[name] == _NEAREST:
        added = applied("/", under, 2)
    return over if under == 1 else applied("/", applied("+", over, added), under)


def _fraction(node: Any, read: Read, form_of: FormOf) -> Fraction | None:
    """Numerator and denominator of an expression."""
    real = _is_real(node, form_of)
    if not real:
        unclear = real is None and isinstance(node, c_ast.BinaryOp)
        return None if unclear else _pair(read(node), 1)
    if isinstance(node, c_ast.Constant):
        return _written(literal(node.value))
    if isinstance(node, _CASTS):
        return _fraction(_inside(node), read, form_of)
    if isinstance(node, nodes.Construct) and len(node.arguments) == 1:
        return _fraction(node.arguments[0], read, form_of)
    if not isinstance(node, c_ast.BinaryOp) or node.op not in _ARITHMETIC:
        return None
    left, right = (_fraction(side, read, form_of) for side in (node.left, node.right))
    return None if left is None or right is None else _combined(node.op, left, right)


def _combined(operator: str, left: Fraction, right: Fraction) -> Fraction | None:
    if operator == "/":
        right, operator = (right[1], right[0]), "*"
    under = _times(left[1], right[1])
    if operator == "*":
        return _pair(_times(left[0], right[0]), under)
    return _pair(applied(operator, _times(left[0], right[1]), _times(right[0], left[1])), under)


def _times(left: Formula, right: Formula) -> Formula | None:
    if 1 in (left, right):
        return right if left == 1 else left
    return applied("*", left, right)


def _written(number: Number | None) -> Fraction | None:
    """A number as it is written, where it is one of few parts: 256.0, 0.5."""
    if number is None or not math.isfinite(number):
        return None
    over, under = number.as_integer_ratio()
    return (over, under) if under <= _FINEST else None


def _pair(over: Formula | None, under: Formula | None) -> Fraction | None:
    return None if over is None or under is None else (over, under)


def _is_real(node: Any, form_of: FormOf) -> bool | None:
    """Whether an expression is computed in floating point; None where a type is not known."""
    if isinstance(node, c_ast.BinaryOp) and node.op in _ARITHMETIC:
        sides = [_is_real(each, form_of) for each in (node.left, node.right)]
        return True if True in sides else None if None in sides else False
    return {Form.FLOAT: True, Form.INTEGER: False}.get(form_of(node))


def _inside(cast: Any) -> Any:
    return cast.expression if isinstance(cast, nodes.NamedCast) else cast.expr
