"""The least and the greatest number that a formula of host code can be.

Interval arithmetic over formulas (`ir/host_formulas.py`): variables with a value are that number,
others what their limits say. It knows what trying numbers cannot show: `size % b` is less than b,
whatever `size` is, and `min(n, 1024)` is at most 1,024.
Example: `size % b` for b = 257 is -256 to 256, and 0 to 256 where size is 0 or more.
Not handled: that two operands have a variable in common; factors, divisors and shifted numbers
below zero; shifts to the left; overflow.
"""

from __future__ import annotations

from operator import add, mul, rshift, sub
from typing import TYPE_CHECKING

from ...ir.host_formulas import UNLIMITED, Limits, Variable
from ...source.numbers import truncated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...ir.host_formulas import Formula


def bounds(formula: Formula, values: Mapping[int, int], least: int | None = None) -> Limits:
    """The numbers between which a formula is for these values of variables, by number, where no
    part of it that is not a number is below the `least`.
    """
    if isinstance(formula, int):
        return Limits(formula, formula)
    if isinstance(formula, Variable):
        known = values.get(formula.number)
        found = formula.limits if known is None else Limits(known, known)
    else:
        left, right = (bounds(each, values, least) for each in (formula.left, formula.right))
        found = _of_two(formula.operator, left, right)
    return found.narrowed(Limits(least, None))


def most_of_sizes(formula: Formula | None) -> int | None:
    """The greatest number that a formula can be of which no part is below zero; None where nothing
    bounds it.
    """
    return None if formula is None else bounds(formula, {}, 0).most


def _of_two(operator: str, left: Limits, right: Limits) -> Limits:
    match operator:
        case "+":
            return Limits(_of(add, left.least, right.least), _of(add, left.most, right.most))
        case "-":
            return Limits(_of(sub, left.least, right.most), _of(sub, left.most, right.least))
        case "*" if _at_least(left, 0) and _at_least(right, 0):
            return Limits(_of(mul, left.least, right.least), _of(mul, left.most, right.most))
        case "/" if _at_least(left, 0) and _at_least(right, 0) and right.most != 0:
            # What is divided by zero is no number.
            by = right.narrowed(Limits(1, None))
            return Limits(
                _of(truncated, left.least, by.most) or 0, _of(truncated, left.most, by.least)
            )
        case ">>" if _at_least(left, 0) and _at_least(right, 0):
            return Limits(0, _of(rshift, left.most, right.least))
        case "%":
            return _remainder(left, right)
        case "min":
            return Limits(_of(min, left.least, right.least), left.narrowed(right).most)
        case "max":
            return Limits(left.narrowed(right).least, _of(max, left.most, right.most))
    return UNLIMITED


def _of(operation: Callable[[int, int], int], left: int | None, right: int | None) -> int | None:
    """An operation of two ends; None where one of them is open."""
    return None if left is None or right is None else operation(left, right)


def _at_least(limits: Limits, number: int) -> bool:
    return limits.least is not None and limits.least >= number


def _remainder(whole: Limits, by: Limits) -> Limits:
    """Of a division: closer to zero than the divisor, and no further from it than the whole."""
    if by.least is None or by.most is None:
        return UNLIMITED
    most = max(abs(by.least), abs(by.most), 1) - 1
    sign = Limits(0 if _at_least(whole, 0) else -most, most)
    return sign.narrowed(Limits(None, max(whole.most, 0))) if whole.most is not None else sign
