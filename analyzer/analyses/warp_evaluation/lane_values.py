"""The value of an expression in the 32 lanes of a warp: numbers plus uniform symbols.

A `LaneValue` is, for lane i, `lanes[i] + Σ coefficient · symbol`. Symbols stand for values that are
the same in the whole warp and not known: parameters, blockIdx, loop counters. A coefficient is one
int, or 32 when the stride itself is not known (`threadIdx.x * pitch`). Products of symbols are
symbols too.
Sums and products with numbers are exact. Division, remainder and masks are exact when the symbolic
part is a multiple of the divisor, or when all lanes have one quotient whatever the symbols are:
`(256 * blockIdx.x + threadIdx.x) / 96` is the same in a warp, since 32 divides 256 and 96. This
takes symbols for non-negative and sums for free of overflow, as compilers take signed arithmetic.
What is not representable is `None`; the caller says why.
"""

from __future__ import annotations

import operator
from collections import Counter
from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING

from ...ir.arithmetic import direct_function, evaluate, function_of_two, number_range, wrap
from ...ir.operations import Opcode
from ...ir.types import Kind
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from ...ir.types import Type

WARP = 32
FACTOR_LIMIT = 4  # symbols in one product
TERM_LIMIT = 12
Coefficient = int | tuple[int, ...]


class Product:
    """The product of symbols in values of lanes, a symbol itself: `blockIdx.y * width`; the order
    does not matter.
    """

    __slots__ = ("_key", "factors")

    def __init__(self, factors: tuple[Hashable, ...]) -> None:
        self.factors = factors
        self._key = frozenset(Counter(factors).items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Product) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@dataclass(frozen=True, slots=True)
class Division:
    """The quotient or remainder of a value that is not known and the same for all lanes: a symbol
    itself.
    """

    opcode: Opcode
    terms: frozenset[tuple[Hashable, int]]
    constant: int
    divisor: int


@dataclass(frozen=True, slots=True)
class LaneValue:
    """One value in 32 lanes; `terms` maps symbols to coefficients that are not zero."""

    lanes: tuple[int, ...]
    terms: tuple[tuple[Hashable, Coefficient], ...] = ()

    @property
    def is_number(self) -> bool:
        """Known in every lane."""
        return not self.terms

    @property
    def is_uniform(self) -> bool:
        """The same in every lane."""
        return self.lanes.count(self.lanes[0]) == len(self.lanes) and self.shifts_only

    @property
    def shifts_only(self) -> bool:
        """Whether what is not known moves every lane by the same amount."""
        return all(isinstance(coefficient, int) for _, coefficient in self.terms)

    @property
    def number(self) -> int | None:
        """The value when it is known and the same in every lane."""
        return self.lanes[0] if self.is_number and self.is_uniform else None


@lru_cache(maxsize=1 << 12)
def constant(value: int) -> LaneValue:
    """The same number in every lane of a warp."""
    return LaneValue((value,) * WARP)


def symbol(name: Hashable) -> LaneValue:
    """A value that is not known and the same for all lanes of a warp."""
    return LaneValue((0,) * WARP, ((name, 1),))


def per_lane(coefficient: Coefficient) -> tuple[int, ...]:
    """A coefficient of a symbol, in each of the 32 lanes."""
    return (coefficient,) * WARP if isinstance(coefficient, int) else coefficient


def factors_of(name: Hashable) -> tuple[Hashable, ...]:
    """The symbols that a symbol in a value of lanes is the product of."""
    return name.factors if isinstance(name, Product) else (name,)


def tidy(coefficient: tuple[int, ...]) -> Coefficient:
    """A symbol's coefficients in 32 lanes, as one number when all lanes have the same."""
    first = coefficient[0]
    return first if coefficient.count(first) == len(coefficient) else coefficient


def _combine(a: LaneValue, b: LaneValue, function: Callable[[int, int], int]) -> LaneValue:
    """Lanes and coefficients combined by a linear function of two numbers."""
    lanes = tuple(map(function, a.lanes, b.lanes))
    if not b.terms:
        return LaneValue(lanes, a.terms)
    if not a.terms and function is operator.add:
        return LaneValue(lanes, b.terms)
    left, right = dict(a.terms), dict(b.terms)
    terms: list[tuple[Hashable, Coefficient]] = []
    for name in dict.fromkeys((*left, *right)):
        x, y = left.get(name, 0), right.get(name, 0)
        merged: Coefficient
        if isinstance(x, int) and isinstance(y, int):
            merged = function(x, y)
        else:
            merged = tidy(tuple(map(function, per_lane(x), per_lane(y))))
        if merged != 0:
            terms.append((name, merged))
    return LaneValue(lanes, tuple(terms))


def add(a: LaneValue, b: LaneValue) -> LaneValue:
    """The sum of two values in 32 lanes."""
    return _combine(a, b, operator.add)


def subtract(a: LaneValue, b: LaneValue) -> LaneValue:
    """The difference of two values in 32 lanes."""
    return _combine(a, b, operator.sub)


def distance(a: LaneValue, b: LaneValue) -> int | None:
    """The number that `a` is above `b`, when it is known and the same in every lane of a warp."""
    if a.terms != b.terms:
        return subtract(a, b).number
    lanes = tuple(map(operator.sub, a.lanes, b.lanes))
    return lanes[0] if lanes.count(lanes[0]) == len(lanes) else None


def multiply(a: LaneValue, b: LaneValue) -> LaneValue | None:
    """The product of two values in 32 lanes; None when it would take products of more symbols than
    can be kept track of.
    """
    for value, other in ((a, b), (b, a)):
        factor = other.lanes[0]
        if not other.terms and other.lanes.count(factor) == WARP:
            return _scaled(value, factor)
    lanes = tuple(map(operator.mul, a.lanes, b.lanes))
    terms: dict[Hashable, tuple[int, ...]] = {}
    pairs: list[tuple[Hashable, Coefficient, Hashable | None, tuple[int, ...]]]
    pairs = [(name, c, None, b.lanes) for name, c in a.terms]
    pairs += [(name, c, None, a.lanes) for name, c in b.terms]
    pairs += [(m, c, n, per_lane(d)) for m, c in a.terms for n, d in b.terms]
    for first, coefficient, second, factors in pairs:
        name = first if second is None else _product(first, second)
        if name is None or len(terms) > TERM_LIMIT:
            return None
        scaled = tuple(map(operator.mul, per_lane(coefficient), factors))
        known = terms.get(name)
        terms[name] = scaled if known is None else tuple(map(operator.add, known, scaled))
    kept = ((name, tidy(coefficient)) for name, coefficient in terms.items())
    return LaneValue(lanes, tuple((name, c) for name, c in kept if c != 0))


def _scaled(value: LaneValue, factor: int) -> LaneValue:
    """The product with one number."""
    if factor == 1:
        return value
    lanes = tuple([lane * factor for lane in value.lanes])
    if factor == 0 or not value.terms:
        return LaneValue(lanes)
    return LaneValue(
        lanes,
        tuple(
            (name, c * factor if isinstance(c, int) else tuple([item * factor for item in c]))
            for name, c in value.terms
        ),
    )


def _product(first: Hashable, second: Hashable) -> Product | None:
    factors = Counter(first.factors) if isinstance(first, Product) else Counter([first])
    factors.update(second.factors if isinstance(second, Product) else [second])
    return Product(tuple(factors.elements())) if factors.total() <= FACTOR_LIMIT else None


def mix(condition: LaneValue, a: LaneValue, b: LaneValue) -> LaneValue | None:
    """Lane by lane of a warp `a` where the condition holds, `b` elsewhere; None when it is not
    known.
    """
    if not condition.is_number:
        return a if a == b else None
    choose = condition.lanes
    if all(choose):
        return a
    if not any(choose):
        return b
    lanes = tuple(x if c else y for c, x, y in zip(choose, a.lanes, b.lanes, strict=True))
    left, right = dict(a.terms), dict(b.terms)
    terms: list[tuple[Hashable, Coefficient]] = []
    for name in dict.fromkeys((*left, *right)):
        merged = tidy(
            tuple(
                x if c else y
                for c, x, y in zip(
                    choose,
                    per_lane(left.get(name, 0)),
                    per_lane(right.get(name, 0)),
                    strict=True,
                )
            )
        )
        if merged != 0:
            terms.append((name, merged))
    return LaneValue(lanes, tuple(terms))


def convert(value: LaneValue, source: Type, target: Type) -> LaneValue | None:
    """A change of integer type in 32 lanes; None for floating point and for narrowing what is not
    known.
    """
    integers = (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE)
    if source.kind not in integers or target.kind not in integers:
        return None
    if value.is_number:
        if target.kind is Kind.PREDICATE:
            return LaneValue(tuple(int(lane != 0) for lane in value.lanes))
        (low, high), (least, most) = number_range(source), number_range(target)
        if max(low, least) <= min(value.lanes) and max(value.lanes) <= min(high, most):
            return value
        return LaneValue(tuple([wrap(wrap(lane, source), target) for lane in value.lanes]))
    if target.kind is Kind.PREDICATE or (target.bits or 0) < min(source.bits or 0, 32):
        return None
    return value


def compute(opcode: Opcode, type: Type, a: LaneValue, b: LaneValue) -> LaneValue | None:
    """A binary integer operation or comparison in `type`, in 32 lanes; None when not
    representable.
    """
    if not a.terms and not b.terms:
        return _pointwise(opcode, type, a, b)
    if opcode in _LINEAR:
        made = _LINEAR[opcode](a, b)
        return None if made is None or is_outgrown(made) else made
    if opcode in _COMPARE:
        difference = subtract(a, b)
        if not difference.terms:
            return LaneValue(tuple(int(_COMPARE[opcode](lane)) for lane in difference.lanes))
        return None
    if opcode is Opcode.OR or opcode is Opcode.XOR:
        return _disjoint(a, b)
    known = b.number
    return None if known is None else _by_number(opcode, type, a, known)


_LINEAR: dict[Opcode, Callable[[LaneValue, LaneValue], LaneValue | None]] = {
    Opcode.ADD: add,
    Opcode.SUB: subtract,
    Opcode.MUL: multiply,
}
_MOST_BITS = 256  # of a number beside symbols, which is reduced to its type in no step


def is_outgrown(value: LaneValue) -> bool:
    """Whether numbers in the value of a lane, doubled again and again, have outgrown any use."""
    if value.lanes[-1].bit_length() > _MOST_BITS:
        return True
    for _, coefficient in value.terms:
        if isinstance(coefficient, int) and coefficient.bit_length() > _MOST_BITS:
            return True
    return False


_COMPARE: dict[Opcode, Callable[[int], bool]] = {
    Opcode.EQ: lambda d: d == 0,
    Opcode.NE: lambda d: d != 0,
    Opcode.LT: lambda d: d < 0,
    Opcode.LE: lambda d: d <= 0,
    Opcode.GT: lambda d: d > 0,
    Opcode.GE: lambda d: d >= 0,
}


def _pointwise(opcode: Opcode, type: Type, a: LaneValue, b: LaneValue) -> LaneValue | None:
    first, second = a.lanes[0], b.lanes[0]
    if a.lanes.count(first) == WARP and b.lanes.count(second) == WARP:
        one = evaluate(opcode, type, (wrap(first, type), wrap(second, type)))
        return None if one is None else constant(one)
    low, high = number_range(type)
    left, right = (min(a.lanes), max(a.lanes)), (min(b.lanes), max(b.lanes))
    direct = direct_function(opcode, type, left, right)
    fits = low <= left[0] and low <= right[0] and left[1] <= high and right[1] <= high
    if direct is not None and fits:
        results = tuple(map(direct, a.lanes, b.lanes))
        if low <= min(results) and max(results) <= high:
            return LaneValue(results)
    function = function_of_two(opcode, type)
    one_by_one: list[int] = []
    for x, y in zip(a.lanes, b.lanes, strict=True):
        result = function(x, y)
        if result is None:
            return None
        one_by_one.append(result)
    return LaneValue(tuple(one_by_one))


def _by_number(opcode: Opcode, type: Type, a: LaneValue, number: int) -> LaneValue | None:
    """An operation of a partly symbolic value with a known number."""
    in_width = 0 <= number < (type.bits or 64)
    if opcode is Opcode.SHL:
        return multiply(a, constant(1 << number)) if in_width else None
    if opcode is Opcode.SHR:
        rounds_down = type.signed or not _may_be_negative(a)
        if number == (type.bits or 0) - 1 and not _may_be_negative(a):
            return constant(0)  # the sign of what does not overflow
        return _quotient(a, 1 << number) if in_width and rounds_down else None
    if opcode is Opcode.AND:
        if number > 0 and number & (number + 1) == 0:
            return _remainder(a, number + 1)
        if number < 0 and -number & (-number - 1) == 0:
            whole = _quotient(a, -number)
            return None if whole is None else multiply(whole, constant(-number))
        return None
    if opcode is Opcode.DIV and number > 0:
        return None if _may_be_negative(a) else _quotient(a, number)
    if opcode is Opcode.REM and number > 0:
        wraps_evenly = not type.signed and number & (number - 1) == 0
        return None if _may_be_negative(a) and not wraps_evenly else _remainder(a, number)
    return None


def _may_be_negative(a: LaneValue) -> bool:
    """Whether some numbers, not negative, for the symbols make a lane negative."""
    return min(a.lanes) < 0 or any(item < 0 for _, c in a.terms for item in per_lane(c))


def is_multiple(a: LaneValue, number: int) -> bool:
    """Whether the symbolic part of a value in 32 lanes is a multiple of a number, whatever the
    symbols are.
    """
    return all(item % number == 0 for _, c in a.terms for item in per_lane(c))


def _remainder(a: LaneValue, number: int) -> LaneValue | None:
    """The remainder between 0 and `number`, of negative values too."""
    if is_multiple(a, number):
        return LaneValue(tuple(lane % number for lane in a.lanes))
    return _divided(Opcode.REM, a, number)


def _quotient(a: LaneValue, number: int) -> LaneValue | None:
    """The quotient, rounded down."""
    if not is_multiple(a, number):
        return _divided(Opcode.DIV, a, number)
    terms = tuple(
        (name, tidy(tuple(item // number for item in per_lane(c)))) for name, c in a.terms
    )
    return LaneValue(tuple(lane // number for lane in a.lanes), terms)


def _divided(opcode: Opcode, a: LaneValue, number: int) -> LaneValue | None:
    """Quotient or remainder of lanes that lie between two multiples of what divides all symbols."""
    terms = [(name, c) for name, c in a.terms if isinstance(c, int)]
    unit = gcd(number, *(c for _, c in terms))
    wholes = {lane // unit for lane in a.lanes}
    if len(terms) < len(a.terms) or len(wholes) > 1:
        return None
    whole = wholes.pop()
    rest = frozenset((name, c // unit) for name, c in terms)
    name = Division(opcode, rest, whole, number // unit)
    if opcode is Opcode.DIV:
        return symbol(name)
    return LaneValue(tuple(lane - whole * unit for lane in a.lanes), ((name, unit),))


def _disjoint(a: LaneValue, b: LaneValue) -> LaneValue | None:
    """OR and XOR of values that share no bits are sums."""
    if a.is_number:
        a, b = b, a
    if not b.is_number or min(b.lanes) < 0:
        return None
    unit = 1 << max(b.lanes).bit_length()
    multiples = all(lane % unit == 0 for lane in a.lanes) and all(
        item % unit == 0 for _, c in a.terms for item in per_lane(c)
    )
    return add(a, b) if multiples else None
