"""What `assert` and its like say of a kernel's parameters, as numbers for one launch.

In: a kernel with the statements kept with it, a launch for the size of the block. Out: for a
parameter the one value it can have, or the range it lies in: `kernel<<<grid, n>>>(n)` says that n
is blockDim.x; numbers are powers of two where the source asks for one. Statements that contradict
each other are no statements.
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

from ...ir.operations import Opcode
from ...ir.types import Kind
from ...ir.values import Special, SpecialRegister, whole_number

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from ...ir.kernel import Kernel
    from ...ir.values import Parameter, Value
    from ..launch.assumed_launch import AssumedLaunch

Range = tuple[int | None, int | None]
_SIZES = (Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y, Special.BLOCK_SIZE_Z)


class StatedNumbers:
    """What asserts in the source say of a kernel's parameters, as numbers."""

    def __init__(
        self, kernel: Kernel, launch: AssumedLaunch, aligned: Mapping[Parameter, int]
    ) -> None:
        self._launch = launch
        ranges: dict[Parameter, Range] = {}
        for each in kernel.stated:
            number = self._number(each.number)
            if number is None or each.relation is Opcode.AND:
                continue
            if each.parameter.type.kind is Kind.INTEGER:
                known = ranges.get(each.parameter, (None, None))
                ranges[each.parameter] = _both(known, _range(each.relation, number))
        for parameter, axis in _sizes_of_blocks(kernel):
            size = launch.block[axis]
            known = ranges.get(parameter, (None, None))
            ranges[parameter] = _both(known, (size, size))
        pairs = zip(kernel.given, launch.divisors, strict=False)
        self._divisors: dict[Hashable, int] = dict(aligned.items())
        for parameter, divisor in pairs:
            if divisor > 1 and parameter.type.kind is Kind.INTEGER:
                self._divisors[parameter] = lcm(divisor, aligned.get(parameter, 1))
        self._powers: frozenset[Hashable] = frozenset(
            each.parameter
            for each in kernel.stated
            if each.relation is Opcode.AND and self._number(each.number) == 0
        )
        #: What the host makes a block of that is not known: no number of ours goes with the block.
        self.shaping: frozenset[Hashable] = frozenset(
            parameter
            for seen in kernel.launches
            if all(None in each.block for each in kernel.launches)
            for parameter, shapes in zip(kernel.given, seen.shaping, strict=False)
            if shapes
        )
        self.ranges = {
            parameter: (low, high)
            for parameter, (low, high) in ranges.items()
            if low is None or high is None or low <= high
        }
        self.exact = {
            parameter: low
            for parameter, (low, high) in self.ranges.items()
            if low is not None and low == high
        }

    def within(self, value: Hashable, number: int) -> int:
        """The number, or the one nearest to it that the source allows."""
        low, high = self.ranges.get(value, (None, None))  # type: ignore[call-overload]
        if low is not None and number < low:
            number = int(low)
        elif high is not None and number > high:
            number = int(high)
        if value in self._powers and number > 0:
            power = 1 << (number - 1).bit_length()
            number = power if high is None or power <= high else power // 2
        return self.divided(value, number)

    def divided(self, value: Hashable, number: int) -> int:
        """The number, or the next one that a parameter can hold, by what the host lets through."""
        divisor = self._divisors.get(value, 1)
        return -(-number // divisor) * divisor

    def _number(self, value: Value) -> int | None:
        if isinstance(value, SpecialRegister) and value.register in _SIZES:
            return self._launch.block[_SIZES.index(value.register)]
        return whole_number(value)


def _sizes_of_blocks(kernel: Kernel) -> Iterator[tuple[Parameter, int]]:
    """The parameters that every launch in sight passes the block's size along one axis for."""
    for parameter, *axes in zip(kernel.given, *(x.axes for x in kernel.launches), strict=False):
        axis = axes[0] if len(set(axes)) == 1 else None
        if axis is not None and parameter.type.kind is Kind.INTEGER:
            yield parameter, axis


def _range(relation: Opcode, number: int) -> Range:
    if relation is Opcode.EQ:
        return number, number
    if relation in (Opcode.LT, Opcode.LE):
        return None, number - (relation is Opcode.LT)
    return number + (relation is Opcode.GT), None


def _both(first: Range, second: Range) -> Range:
    lows = [low for low, _ in (first, second) if low is not None]
    highs = [high for _, high in (first, second) if high is not None]
    return max(lows, default=None), min(highs, default=None)
