"""Orders that hold on one path: how far apart two values can be there.

In: comparisons, and whether each holds. Out: whether another one must hold, or cannot, beside them,
and whether they leave anything at all: `i < n` is false and `i == n`, too, so that `i < n + 1` is
not possible. A comparison says of the difference of its sides, taken apart as an affine form
(`affine.py`), that it lies in an interval or is no certain number: intervals of one form at a time.
Indices are taken not to overflow, floats to be numbers. Not handled: two forms that say something
of a third one, such as `a < b` and `b < c`; pointers.
"""

from __future__ import annotations

from dataclasses import field
from math import inf
from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED
from ...ir.operations import Compare, Opcode
from ...ir.types import Kind
from ...ir.values import Constant
from ...source.records import dataclass
from .affine import affine

if TYPE_CHECKING:
    from ...ir.values import Value

    _Form = frozenset[tuple[Value, int]]

_BELOW = {Opcode.LT: True, Opcode.LE: False}  # whether strictly
_ABOVE = {Opcode.GT: True, Opcode.GE: False}


@dataclass(frozen=True, slots=True)
class _Interval:
    """From one end to another one, each a number and whether it is left out, but for `holes`."""

    low: tuple[float, bool] = (-inf, False)  # True: only what is greater
    high: tuple[float, bool] = (inf, True)  # False: only what is less
    holes: frozenset[float] = field(default=frozenset())

    @property
    def is_empty(self) -> bool:
        low, above = self.low
        high, at = self.high
        return low > high or (low == high and (above or not at or low in self.holes))

    def beside(self, other: _Interval) -> _Interval:
        """What lies in both, its ends as near as the holes let them be."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        holes = self.holes | other.holes
        low = (low[0], low[1] or low[0] in holes)
        high = (high[0], high[1] and high[0] not in holes)
        return _Interval(low, high, holes)


class PathOrders:
    """What the comparisons of a path leave open."""

    def __init__(self) -> None:
        self._known: dict[_Form, _Interval] = {}
        self.leave_nothing = False  # no numbers are so

    def assume(self, comparison: Value, holds: bool) -> None:
        """Note that a comparison holds, or does not."""
        for form, interval in _said(comparison, holds):
            self._known[form] = self._beside(form, interval)
            self.leave_nothing |= self._known[form].is_empty

    def verdict(self, comparison: Value) -> bool | None:
        """Whether a comparison must hold, or cannot; None where both may be."""
        for holds in (True, False):
            said = _said(comparison, not holds)
            if any(self._beside(form, interval).is_empty for form, interval in said):
                return holds
        return None

    def _beside(self, form: _Form, interval: _Interval) -> _Interval:
        return self._known.get(form, _Interval()).beside(interval)


def _said(comparison: Value, holds: bool) -> list[tuple[_Form, _Interval]]:
    """What a comparison says, of its form and of the negative of that; nothing of other values."""
    if not isinstance(comparison, Compare) or comparison.compared.kind not in (
        Kind.INTEGER,
        Kind.FLOAT,
    ):
        return []
    opcode = comparison.opcode if holds else NEGATED[comparison.opcode]
    whole = comparison.compared.kind is Kind.INTEGER
    form, number = _difference(*comparison.operands, whole=whole)
    if not form:
        return []
    mirrored = {value: -factor for value, factor in form.items()}
    return [
        (frozenset(form.items()), _where(opcode, -number, whole=whole)),
        (frozenset(mirrored.items()), _where(MIRRORED[opcode], number, whole=whole)),
    ]


def _difference(first: Value, second: Value, *, whole: bool) -> tuple[dict[Value, int], float]:
    """The first less the second: values with their factors, and a number."""
    form: dict[Value, int] = {}
    number = 0.0
    for value, sign in ((first, 1), (second, -1)):
        if whole:
            side = affine(value)
            number += sign * side.number
            for part, factor in side.factors.items():
                form[part] = form.get(part, 0) + sign * factor
        elif isinstance(value, Constant):  # sums of floats round, and are not taken apart
            number += sign * value.value
        else:
            form[value] = form.get(value, 0) + sign
    return {part: factor for part, factor in form.items() if factor}, number


def _where(opcode: Opcode, number: float, *, whole: bool) -> _Interval:
    """Where a form lies that is compared with a number."""
    if opcode is Opcode.NE:
        return _Interval(holes=frozenset({number}))
    low, high = (-inf, False), (inf, True)
    if opcode in _BELOW or opcode is Opcode.EQ:
        strictly = _BELOW.get(opcode, False)
        high = (number - 1, True) if whole and strictly else (number, not strictly)
    if opcode in _ABOVE or opcode is Opcode.EQ:
        strictly = _ABOVE.get(opcode, False)
        low = (number + 1, False) if whole and strictly else (number, strictly)
    return _Interval(low, high)
