"""Comparisons that hold, or do not, whatever the symbols stand for.

In: the difference of two values in 32 lanes, and what numbers each symbol may be: a block index is
below the grid's size, a loop's iteration is not negative, a remainder is below its divisor. Out:
the comparison's outcome in each lane, or None when some lane's is open. So `i < n` is decided when
all threads of the launch lie below n. Follows interval arithmetic; sums are free of overflow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode
from .lane_values import Division, LaneValue, constant

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Range = tuple[int, int | None]  # the least and the greatest number; None for no bound


def decide(
    opcode: Opcode, difference: LaneValue, ranges: Callable[[Hashable], Range | None]
) -> LaneValue | None:
    """The outcome in 32 lanes of comparing two values, by the bounds of their difference."""
    below: int | None = 0  # how far the symbols may move all lanes alike
    above: int | None = 0
    lows: list[int | None] = list(difference.lanes)
    highs: list[int | None] = list(difference.lanes)
    apart = False  # whether a symbol moves the lanes by different distances
    for name, coefficient in difference.terms:
        known = range_of(name, ranges)
        if known is None:
            return None
        if isinstance(coefficient, int):
            low, high = _scaled(known, coefficient)
            below, above = _sum(below, low), _sum(above, high)
            continue
        apart = True
        for lane, factor in enumerate(coefficient):
            low, high = _scaled(known, factor)
            lows[lane] = _sum(lows[lane], low)
            highs[lane] = _sum(highs[lane], high)
    if not apart:
        lanes = difference.lanes
        alike = _outcome(opcode, _sum(min(lanes), below), _sum(max(lanes), above))
        if alike is not None:
            return constant(int(alike))
    outcomes: list[int] = []
    for low, high in zip(lows, highs, strict=True):
        outcome = _outcome(opcode, _sum(low, below), _sum(high, above))
        if outcome is None:
            return None
        outcomes.append(int(outcome))
    return LaneValue(tuple(outcomes))


def range_of(name: Hashable, ranges: Callable[[Hashable], Range | None]) -> Range | None:
    """The numbers that a symbol in values of lanes may be, quotients and remainders too."""
    if not isinstance(name, Division):
        return ranges(name)
    if name.opcode is Opcode.REM:
        return (0, name.divisor - 1)
    low, high = name.constant, name.constant
    for inner, factor in name.terms:
        known = range_of(inner, ranges)
        if known is None or known[1] is None:
            return None
        ends = (known[0] * factor, known[1] * factor)
        low, high = low + min(ends), high + max(ends)
    return (low // name.divisor, high // name.divisor)


def _scaled(known: Range, factor: int) -> tuple[int | None, int | None]:
    low, high = known
    ends = (low * factor, None if high is None else high * factor)
    if factor == 0:
        return (0, 0)
    return ends if factor > 0 else (ends[1], ends[0])


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


def _outcome(opcode: Opcode, low: int | None, high: int | None) -> bool | None:
    """Whether a number between the bounds compares so with 0; None when it depends."""
    below = high is not None and high < 0
    above = low is not None and low > 0
    not_above = high is not None and high <= 0
    not_below = low is not None and low >= 0
    holds, fails = {
        Opcode.LT: (below, not_below),
        Opcode.LE: (not_above, above),
        Opcode.GT: (above, not_above),
        Opcode.GE: (not_below, below),
        Opcode.EQ: (not_above and not_below, below or above),
        Opcode.NE: (below or above, not_above and not_below),
    }[opcode]
    return True if holds else False if fails else None
