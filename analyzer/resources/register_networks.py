"""Small networks of rectified units, asked in whole numbers.

In: what the document of the register model says of its networks: the mean and deviation of every
input, and for each unit its weights and, last, what is added whatever the input. Out: what all of
them say of a row, summed. Inputs are the logarithms of the row, then its first numbers as they are,
then, for some architectures, whether the last number of the row is that one.

The units that see the inputs, of all networks, are computed at once: weights and inputs are whole
numbers of small steps, the weights of one input stand side by side as digits of one large integer,
and the sums of all units are one sum of such integers. What a number at one place of the row adds
to them is remembered: most are small and come again.
"""

from __future__ import annotations

from functools import partial
from math import copysign, log1p
from operator import eq, mul
from struct import unpack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    #: How a number is read as an input, the input's mean and deviation, and its weights.
    _View = tuple[Callable[[float], float], float, float, int]

WEIGHTS = 10_000  # weights are given in ten-thousandths
FARTHEST = 4.0  # from the mean, in standard deviations, that an input is
_STEPS = 10_000  # of a standard deviation, which inputs are rounded to
_BITS = 64  # of a digit; no sum comes near to half of what it holds
_HALF = 1 << (_BITS - 1)
_REMEMBERED = 1_000  # numbers at one place of a row

_Layer = list[list[float]]


class Networks:
    """The networks of a document that estimate registers, for rows of `length` numbers."""

    def __init__(self, document: Any, length: int) -> None:
        parts = document["parts"]
        first = [unit for part in parts for unit in part[0]]
        *columns, biases = [_side_by_side(column) for column in zip(*first, strict=True)]
        reads: list[tuple[int, Callable[[float], float]]] = [
            *[(place, _logarithm) for place in range(length)],
            *[(place, float) for place in range(document["plain"])],
            *[(length - 1, partial(eq, arch)) for arch in document["apart"]],
        ]
        views: list[list[_View]] = [[] for _ in range(length)]
        inputs = zip(reads, document["centre"], document["scale"], columns, strict=True)
        for (place, read), centre, scale, weights in inputs:
            views[place].append((read, centre, scale, weights))
        self._places = [*map(_Place, views)]
        self._always = biases * _STEPS + _side_by_side([_HALF] * len(first))
        self._units = len(first)
        self._parts = [(len(part[0]), [*map(_floats, part[1:])]) for part in parts]

    def total(self, row: Sequence[float]) -> float:
        """What they say of a row, summed."""
        sums = self._always
        for place, number in zip(self._places, row, strict=True):
            sums += place[number]
        digits = unpack(f"<{self._units}Q", sums.to_bytes(self._units * _BITS // 8, "little"))
        seen = [(digit - _HALF) / (WEIGHTS * _STEPS) if digit > _HALF else 0.0 for digit in digits]
        total, start = 0.0, 0
        for units, (*hidden, last) in self._parts:
            values = [*seen[start : start + units], 1.0]
            start += units
            for layer in hidden:
                values = [max(sum(map(mul, unit, values)), 0.0) for unit in layer]
                values.append(1.0)
            total += sum(map(mul, last[0], values))
        return total


class _Place(dict[float, int]):
    """What a number at one place of the row adds to every unit that sees it."""

    def __init__(self, views: list[_View]) -> None:
        super().__init__()
        self._views = views

    def __missing__(self, number: float) -> int:
        added = 0
        for read, centre, scale, weights in self._views:
            added += _steps((read(float(number)) - centre) / scale) * weights
        if len(self) < _REMEMBERED:
            self[number] = added
        return added


def _logarithm(number: float) -> float:
    return copysign(log1p(abs(number)), number)


def _steps(deviations: float) -> int:
    return round(_STEPS * min(max(deviations, -FARTHEST), FARTHEST))


def _side_by_side(digits: Iterable[int]) -> int:
    """One integer of so many digits, which may be negative."""
    return sum(digit << (_BITS * place) for place, digit in enumerate(digits))


def _floats(layer: list[list[int]]) -> _Layer:
    return [[weight / WEIGHTS for weight in unit] for unit in layer]
