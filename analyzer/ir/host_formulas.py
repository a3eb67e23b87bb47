"""What the host makes a launch's grid, block and arguments of, as formulas over its variables.

A formula is a whole number, a `Variable` of the host whose value nobody states, or an operation on
formulas. Those of one launch share their variables: where `n` is passed and the grid is
`(n + 255) / 256`, both hold the same one. Arithmetic is that of whole numbers that do not overflow;
division rounds towards zero.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING

from ..source.numbers import truncated
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers of a host variable that conditions on the way to a launch allow: 40 and more
    where others leave by `if (n < 40) return;`. None where nothing is known.
    """

    least: int | None = None
    most: int | None = None

    def __contains__(self, number: int) -> bool:
        above = self.least is None or number >= self.least
        return above and (self.most is None or number <= self.most)

    def narrowed(self, other: Limits) -> Limits:
        """What both allow."""
        least = [each for each in (self.least, other.least) if each is not None]
        most = [each for each in (self.most, other.most) if each is not None]
        return Limits(max(least, default=None), min(most, default=None))

    def widened(self, other: Limits) -> Limits:
        """What one of them allows."""
        least = None if self.least is None or other.least is None else min(self.least, other.least)
        most = None if self.most is None or other.most is None else max(self.most, other.most)
        return Limits(least, most)


UNLIMITED = Limits()

#: The comparisons of C that limit a number.
INEQUALITIES = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the host in a formula: the same value wherever this number appears in a
    launch.
    """

    number: int
    name: str  # for messages
    limits: Limits = UNLIMITED


@dataclass(frozen=True, slots=True)
class Operation:
    """`+ - * / % << >> min max` of two formulas of host code."""

    operator: str
    left: Formula
    right: Formula


_LARGEST = 40  # variables and numbers of a formula: what is larger is nobody's grid

OPERATORS = frozenset(("+", "-", "*", "/", "%", "<<", ">>", "min", "max"))

Formula = int | Variable | Operation
Shape = tuple["Formula | None", "Formula | None", "Formula | None"]


@dataclass(frozen=True, slots=True)
class LaunchFormulas:
    """The formulas of a launch's grid, block and arguments; None where the host computes what is no
    such formula.
    """

    grid: Shape
    block: Shape
    arguments: tuple[Formula | None, ...] = ()


def without_names(formulas: LaunchFormulas) -> LaunchFormulas:
    """The formulas of a launch with their variables told apart by their numbers alone: what two
    launches have in common, whatever each host calls it.
    """
    x, y, z = map(_nameless, formulas.grid)
    width, height, depth = map(_nameless, formulas.block)
    arguments = tuple(map(_nameless, formulas.arguments))
    return LaunchFormulas((x, y, z), (width, height, depth), arguments)


def _nameless(formula: Formula | None) -> Formula | None:
    return None if formula is None else _unnamed(formula)


def _unnamed(formula: Formula) -> Formula:
    if isinstance(formula, Variable):
        return replace(formula, name="")
    if isinstance(formula, Operation):
        return Operation(formula.operator, _unnamed(formula.left), _unnamed(formula.right))
    return formula


def variables_of(formula: Formula) -> Iterator[Variable]:
    """The variables of a host formula, once for each place."""
    work = [formula]
    while work:
        each = work.pop()
        if isinstance(each, Variable):
            yield each
        elif isinstance(each, Operation):
            work += (each.right, each.left)


def is_limited(formula: Formula) -> bool:
    """Whether a host formula takes the least of several numbers somewhere."""
    if not isinstance(formula, Operation):
        return False
    return formula.operator == "min" or is_limited(formula.left) or is_limited(formula.right)


def evaluate(formula: Formula, values: Mapping[int, int]) -> int | None:
    """The number that a host formula is for these values of variables, by number; None where it is
    none: a variable has no value, or C++ has no result.
    """
    if isinstance(formula, int):
        return formula
    if isinstance(formula, Variable):
        return values.get(formula.number)
    left, right = evaluate(formula.left, values), evaluate(formula.right, values)
    return None if left is None or right is None else combined(formula.operator, left, right)


def combined(operator: str, left: int, right: int) -> int | None:
    """The value of an operator of a host formula for two numbers; None where C++ has no result, or
    a huge one.
    """
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "%" if right != 0:
            quotient = truncated(left, right)
            return quotient if operator == "/" else left - right * quotient
        case "<<" if 0 <= right < _WIDEST:
            return left << right
        case ">>" if 0 <= right < _WIDEST:
            return left >> right
        case "min":
            return min(left, right)
        case "max":
            return max(left, right)
    return None


_WIDEST = 63  # bits that a shift may be by


def applied(operator: str, left: Formula | None, right: Formula | None) -> Formula | None:
    """An operation on two formulas, numbers computed; None where one is not known, and where more
    would come out than a grid is made of.
    """
    if left is None or right is None:
        return None
    if isinstance(left, int) and isinstance(right, int):
        return combined(operator, left, right)
    made = Operation(operator, left, right)
    return made if is_small(made) else None


def is_small(formula: Formula) -> bool:
    """Whether a formula has no more variables and numbers than somebody's grid."""
    return _size(formula) <= _LARGEST


def _size(formula: Formula) -> int:
    if not isinstance(formula, Operation):
        return 1
    return _size(formula.left) + _size(formula.right)


def product(left: Formula | None, right: Formula | None) -> Formula | None:
    """Two host formulas multiplied."""
    if left is None or right is None:
        return None
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if left == 1:
        return right
    return left if right == 1 else Operation("*", left, right)


def quotient(whole: Formula, part: int) -> Formula | None:
    """A host formula divided by a number, where it is written as a product with it."""
    if isinstance(whole, int):
        return whole // part if whole % part == 0 else None
    if part == 1:
        return whole
    if isinstance(whole, Operation) and whole.operator == "*" and whole.right == part:
        return whole.left
    return None


#: A sum of products: for each product, its factors that are no numbers, how often it is taken.
Polynomial = dict[tuple["Formula", ...], int]


def polynomial(formula: Formula) -> Polynomial:
    """A host formula multiplied out, so that equal ones are equal; quotients and such are
    factors.
    """
    if isinstance(formula, int):
        return {(): formula} if formula else {}
    if isinstance(formula, Variable):
        return {(formula,): 1}
    if formula.operator == "<<" and isinstance(formula.right, int):
        return _times(polynomial(formula.left), {(): 1 << formula.right})
    if formula.operator not in ("+", "-", "*"):
        return {(formula,): 1}
    left, right = polynomial(formula.left), polynomial(formula.right)
    if formula.operator == "*":
        return _times(left, right)
    sign = 1 if formula.operator == "+" else -1
    found = {key: left.get(key, 0) + sign * right.get(key, 0) for key in left | right}
    return {key: number for key, number in found.items() if number}


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for first, a in left.items():
        for second, b in right.items():
            key = tuple(sorted((*first, *second), key=repr))
            found[key] = found.get(key, 0) + a * b
    return {key: number for key, number in found.items() if number}


def ratio(left: Formula, right: Formula) -> tuple[int, int] | None:
    """How many times one host formula is another one, whatever its variables hold: a reduced
    fraction, over a positive number.
    """
    first, second = polynomial(left), polynomial(right)
    if not first or first.keys() != second.keys():
        return None
    ratios = {_reduced(first[key], second[key]) for key in first}
    return ratios.pop() if len(ratios) == 1 else None


def _reduced(over: int, under: int) -> tuple[int, int]:
    shared = gcd(over, under) if under > 0 else -gcd(over, under)
    return over // shared, under // shared
