"""Values as sums of other values times constants, plus a constant: their affine form.

Problem: what an address or an index is made of, whatever the order in which it was added up.
Algorithm: sums, and products and shifts by constants, are taken apart down to values that are
neither, each node of the expression once, users before operands, so that a sum that is added to
itself over and over costs no more than another. Conversions are looked through, as indices do not
overflow. In: a value. Out: a number, and values with their factors, in order. Example: of
`base + 4 * (i + 3)` the number is 12, the factor of base 1, that of i 4. Not taken apart:
differences of two values, as compilers write `i % n` as `i - i / n * n`, and products of two. Forms
over the lanes of a warp are `lane_values.LaneValue`; `affine_lanes.py` keeps to
conversions that are exact, and to what divides the rest, for proofs that lanes agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation
from ...ir.values import Special, SpecialRegister, whole_number
from ...source.records import dataclass
from ..launch.allowance import METER
from .reachability import postorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.values import Value

_STEPS = 4  # of the work that a kernel may cost, for each value that is taken apart


@dataclass(frozen=True, slots=True)
class Affine:
    """A value as a sum: `number` plus each value of `factors` times its factor."""

    number: int
    factors: dict[Value, int]

    def of(self, register: Special) -> int:
        """The factor of a special register; 0 where it is no part."""
        return sum(
            factor
            for value, factor in self.factors.items()
            if isinstance(value, SpecialRegister) and value.register is register
        )

    def pitch(self, thread: Special, block: Special) -> int | None:
        """How many threads after a block the next one begins, where the factors say it: 25 for
        `25 * blockIdx.x + threadIdx.x`.
        """
        step, pitch = self.of(thread), self.of(block)
        return pitch // step if 0 < step < pitch and pitch % step == 0 else None


def affine(value: Value) -> Affine:
    """The affine form of a value; of one that cannot be taken apart, itself."""
    order = _summed_up(value)
    METER.left -= _STEPS * len(order)
    number = 0
    factors: dict[Value, int] = {}
    times = {value: 1}  # how often each is a part of the whole, by the users seen so far
    for each, parts in reversed(order.items()):
        factor = times[each]
        for part, multiple in parts:
            times[part] = times.get(part, 0) + multiple * factor
        known = whole_number(each)
        if known is not None:
            number += known * factor
        elif not parts:
            factors[each] = factor
    return Affine(number, factors)


def _summed_up(value: Value) -> dict[Value, Sequence[tuple[Value, int]]]:
    """All that a value is the sum of with what each is the sum of in turn, parts before users."""
    parts: dict[Value, Sequence[tuple[Value, int]]] = {}

    def needs(each: Value) -> list[Value]:
        found = parts.get(each)
        if found is None:  # each is asked twice, before its parts and behind them
            found = parts[each] = _summands(each)
        return [part for part, _ in found]

    order: dict[Value, Sequence[tuple[Value, int]]] = {}
    for each in postorder(value, needs, order):
        order[each] = parts[each]
    return order


def _summands(value: Value) -> Sequence[tuple[Value, int]]:
    """What a value is the sum of, with factors; nothing where it is no sum."""
    if not isinstance(value, Operation):
        return ()
    if value.opcode is Opcode.CONVERT or value.opcode is Opcode.ADD:
        return [(operand, 1) for operand in value.operands]
    if value.opcode not in _SCALING:
        return ()
    first, second = value.operands
    known = whole_number(second)
    if value.opcode is Opcode.MUL:
        if known:
            return ((first, known),)
        known = whole_number(first)
        return ((second, known),) if known else ()
    if value.opcode is Opcode.SUB:
        return ((first, 1), (second, -1)) if known is not None else ()
    return ((first, 1 << known),) if known is not None and 0 <= known < 32 else ()


_SCALING = frozenset({Opcode.MUL, Opcode.SHL, Opcode.SUB})


def counted_from(address: Value) -> Value:
    """The pointer that an address is counted from: the first operand of each sum of the IR."""
    while isinstance(address, Operation) and address.opcode in (Opcode.ADD, Opcode.CONVERT):
        address = address.operands[0]
    return address
