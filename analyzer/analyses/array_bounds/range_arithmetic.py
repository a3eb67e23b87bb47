"""What arithmetic makes of ranges of whole numbers, all a number of steps from the least.

In: an opcode and the ranges of its operands. Out: a range that holds every result that numbers of
these ranges have, not yet cut to the width of a type (`fitted`). The domain is that of strided
intervals (T. Reps, G. Balakrishnan, J. Lim, "Intermediate-Representation Recovery from Low-Level
Code", 2006): `4 * threadIdx.x` is 0 to 124 in steps of 4.
Not handled: operations of bits on numbers below zero.
"""

from __future__ import annotations

from itertools import product
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from ...ir.arithmetic import number_range
from ...ir.operations import Opcode
from ...source.numbers import truncated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.types import Type

_LARGEST = 1 << 128  # of what sums and products are bounded before they wrap around


class Range(NamedTuple):
    """Whole numbers from the least to the greatest, which both belong to it."""

    low: int
    high: int
    step: int = 1  # 0: there is one number

    def holds(self, other: Range) -> bool:
        """Whether all numbers of another range are in it."""
        return (
            self.low <= other.low
            and other.high <= self.high
            and (self.step == 1 or gcd(other.step, other.low - self.low) % (self.step or 1) == 0)
        )


def exactly(number: int) -> Range:
    """The range of one number."""
    return Range(number, number, 0)


def ranging(low: int, high: int, step: int = 1) -> Range | None:
    """The numbers from one on that are no greater than another; None where there are none."""
    if high <= low:
        return exactly(low) if high == low else None
    return Range(low, high - (high - low) % step, step) if step else exactly(low)


def whole_range(type: Type) -> Range | None:
    """All that a type holds; None for types of no known width."""
    return None if type.bits is None else Range(*number_range(type))


def fits(range: Range, type: Type) -> bool:
    """Whether a type holds all numbers of a range as they are."""
    low, high = number_range(type)
    return type.bits is not None and low <= range.low and range.high <= high


def fitted(range: Range | None, type: Type) -> Range | None:
    """The range as a type holds its numbers: all of the type's, where one may wrap around."""
    return range if range is not None and fits(range, type) else whole_range(type)


def either(one: Range | None, other: Range | None) -> Range | None:
    """A range that holds all numbers of two."""
    if one is None or other is None:
        return None
    low, high = min(one.low, other.low), max(one.high, other.high)
    return ranging(low, high, gcd(one.step, other.step, one.low - other.low))


def both(one: Range | None, other: Range) -> Range | None:
    """The numbers of a range between the ends of another; None where there are none."""
    if one is None:
        return other
    low, high = max(one.low, other.low), min(one.high, other.high)
    if one.step > 1:
        low += (one.low - low) % one.step
    return ranging(low, high, one.step)


def of_two(opcode: Opcode, type: Type, first: Range | None, second: Range | None) -> Range | None:
    """The results of an operation of two numbers, each in its range."""
    if first is None or second is None or _is_too_large(first) or _is_too_large(second):
        return None
    (a, b, s), (c, d, t) = first, second
    match opcode:
        case Opcode.ADD:
            return ranging(a + c, b + d, gcd(s, t))
        case Opcode.SUB:
            return ranging(a - d, b - c, gcd(s, t))
        case Opcode.MUL:
            return _corners(_products(first, second), gcd(a * t, c * s, s * t))
        case Opcode.SHL if c >= 0 and d < (type.bits or 0):
            power = exactly(1 << c) if c == d else Range(1 << c, 1 << d)
            return of_two(Opcode.MUL, type, first, power)
        case Opcode.MIN:
            return ranging(min(a, c), min(b, d))
        case Opcode.MAX:
            return ranging(max(a, c), max(b, d))
        case Opcode.DIV if c > 0:
            even = c == d and a % c == s % c == 0
            return _corners(
                (truncated(x, y) for x, y in _ends(first, second)), s // c if even else 1
            )
        case Opcode.REM if c > 0:
            if 0 <= a <= b < c:
                return first
            return ranging(0 if a >= 0 else max(a, 1 - d), 0 if b <= 0 else min(b, d - 1))
        case Opcode.SHR if c >= 0 and d < (type.bits or 0):
            return _corners(x >> y for x, y in _ends(first, second))
        case Opcode.AND if a >= 0 or c >= 0:
            return ranging(0, min(each.high for each in (first, second) if each.low >= 0))
        case Opcode.OR | Opcode.XOR if a >= 0 and c >= 0:
            return ranging(0, (1 << max(b, d).bit_length()) - 1)
    return None


def _is_too_large(numbers: Range) -> bool:
    """Whether numbers are far beyond any type: squares of squares double their digits each time."""
    return max(abs(numbers.low), abs(numbers.high)) > _LARGEST


def _ends(first: Range, second: Range) -> Iterable[tuple[int, int]]:
    return product(first[:2], second[:2])


def _products(first: Range, second: Range) -> Iterable[int]:
    return (x * y for x, y in _ends(first, second))


def _corners(numbers: Iterable[int], step: int = 1) -> Range | None:
    every = tuple(numbers)
    return ranging(min(every), max(every), step)
