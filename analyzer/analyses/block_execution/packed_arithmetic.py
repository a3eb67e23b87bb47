"""Arithmetic on the integers of all threads at once, as long as none leaves its lane.

In: an operation on known integers, at least one of them per thread. Out: the result, with bounds
that follow from those of the operands (interval arithmetic: Moore, "Interval Analysis", 1966), or
None where packed numbers do not allow it: products of two vectors, divisions but by powers of two,
entries that are too large. The result is that of mathematics: reducing it to the range of a type is
left to the caller. What bounds decide about a comparison needs no arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode
from .per_thread import LANE, MOST, PerThread, at_least, ones

if TYPE_CHECKING:
    from collections.abc import Callable

Known = int | PerThread
_Bounds = tuple[int, int]
_Packed = tuple[int, int, int]  # the number, and the bounds of its entries


def bounds(vector: Known) -> tuple[int, int]:
    """The least and the greatest that the integers of all threads may be."""
    return (vector, vector) if isinstance(vector, int) else (vector.low, vector.high)


def is_within(vector: PerThread, low: int, high: int) -> bool:
    """Whether the integers of all threads lie within these bounds."""
    if low <= vector.low and vector.high <= high:
        return True
    vector.tighten()
    return low <= vector.low and vector.high <= high


def packed_result(opcode: Opcode, first: Known, second: Known, count: int) -> PerThread | None:
    """The result of an operation on packed integers of all threads; None where it has none, or one
    may leave its lane.
    """
    rule = _RULES.get(opcode)
    found = None if rule is None else rule(opcode, first, second, count)
    if found is None:
        return None
    packed, low, high = found
    if not (low > -MOST and high < MOST):
        return None
    return PerThread.unpacked(packed, low, high, count)


def _lanes(vector: Known, count: int) -> int | None:
    if isinstance(vector, int):
        return vector * ones(count) if -MOST < vector < MOST else None
    return vector.packed


def _sum(opcode: Opcode, first: Known, second: Known, count: int) -> _Packed | None:
    one, other = _lanes(first, count), _lanes(second, count)
    if one is None or other is None:
        return None
    (low, high), (least, most) = bounds(first), bounds(second)
    if opcode is Opcode.ADD:
        return one + other, low + least, high + most
    return one - other, low - most, high - least


def _multiple(opcode: Opcode, first: Known, second: Known, count: int) -> _Packed | None:
    vector, factor = (second, first) if isinstance(first, int) else (first, second)
    if isinstance(vector, int) or not isinstance(factor, int):
        return None
    if opcode is Opcode.SHL:
        if vector is second or not 0 <= factor < LANE:
            return None
        factor = 1 << factor
    ends = (vector.low * factor, vector.high * factor)
    # Of a lane that is too small for its product nothing is left: the bounds say so.
    return None if vector.packed is None else (vector.packed * factor, min(ends), max(ends))


def _comparison(opcode: Opcode, first: Known, second: Known, count: int) -> _Packed | None:
    if opcode in _SWAPPED:
        opcode, first, second = _SWAPPED[opcode], second, first
    (low, high), (least, most) = bounds(first), bounds(second)
    holds = low >= most if opcode is Opcode.GE else low > most
    if holds or (high < least if opcode is Opcode.GE else high <= least):
        return int(holds) * ones(count), int(holds), int(holds)
    one, other = _lanes(first, count), _lanes(second, count)
    if one is None or other is None:
        return None
    if opcode is Opcode.GE:
        return at_least(one, other, count), 0, 1
    return ones(count) - at_least(other, one, count), 0, 1


#: The comparison with its operands in the other order.
_SWAPPED = {Opcode.LE: Opcode.GE, Opcode.LT: Opcode.GT}


def _equality(opcode: Opcode, first: Known, second: Known, count: int) -> _Packed | None:
    one, other = _lanes(first, count), _lanes(second, count)
    if one is None or other is None:
        return None
    equal = at_least(one, other, count) & at_least(other, one, count)
    return (equal if opcode is Opcode.EQ else ones(count) - equal), 0, 1


def _bitwise(opcode: Opcode, first: Known, second: Known, count: int) -> _Packed | None:
    (low, high), (least, most) = bounds(first), bounds(second)
    one, other = _lanes(first, count), _lanes(second, count)
    if one is None or other is None or low < 0 or least < 0:
        return None
    if opcode is Opcode.AND:
        return one & other, 0, min(high, most)
    greatest = (1 << max(high, most).bit_length()) - 1
    return (one | other if opcode is Opcode.OR else one ^ other), 0, greatest


def _by_power_of_two(opcode: Opcode, first: Known, second: Known, count: int) -> _Packed | None:
    """Shifts to the right, and what divisions by powers of two are for numbers from zero on."""
    if isinstance(first, int) or not isinstance(second, int) or first.low < 0:
        return None
    shift = second
    if opcode is not Opcode.SHR:
        if second <= 0 or second & (second - 1):
            return None
        shift = second.bit_length() - 1
    if not 0 <= shift < LANE or first.packed is None:
        return None
    if opcode is Opcode.REM:
        return first.packed & (ones(count) * (second - 1)), 0, min(first.high, second - 1)
    kept = ones(count) * ((1 << (LANE - shift)) - 1)
    return (first.packed >> shift) & kept, first.low >> shift, first.high >> shift


_RULES: dict[Opcode, Callable[[Opcode, Known, Known, int], _Packed | None]] = {
    Opcode.ADD: _sum,
    Opcode.SUB: _sum,
    Opcode.MUL: _multiple,
    Opcode.SHL: _multiple,
    Opcode.LT: _comparison,
    Opcode.LE: _comparison,
    Opcode.GT: _comparison,
    Opcode.GE: _comparison,
    Opcode.EQ: _equality,
    Opcode.NE: _equality,
    Opcode.AND: _bitwise,
    Opcode.OR: _bitwise,
    Opcode.XOR: _bitwise,
    Opcode.SHR: _by_power_of_two,
    Opcode.DIV: _by_power_of_two,
    Opcode.REM: _by_power_of_two,
}
