"""Values as sums of other values times constants, plus a constant: their affine form.

Problem: what an address or an index is made of, whatever the order in which it was added up.
Algorithm: sums, and products and shifts by constants, are taken apart down to values that are
neither; what is a part several times is counted together. Conversions are looked through, as
indices do not overflow. In: a value. Out: a number, and values with their factors, in order.
Example: of `base + 4 * (i + 3)` the number is 12, the factor of base 1, that of i 4. Not taken
apart: differences of two values, as compilers write `i % n` as `i - i / n * n`; products of two
values; more than the first hundred parts, as a sum added to itself over and over has no end of
them. Forms over the lanes of a warp are `lane_values.LaneValue`; `affine_lanes.py` keeps to
conversions that are exact, and to what divides the rest, for proofs that lanes agree.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation, unconverted
from ...ir.values import Special, SpecialRegister, whole_number
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value

_PARTS = 100


@dataclass(frozen=True, slots=True)
class Affine:
    """`number` plus each value of `factors` times its factor."""

    number: int
    factors: dict[Value, int]
    complete: bool  # no part is left out

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
    number = count = 0
    factors: dict[Value, int] = {}
    for part, factor in islice(_parts(value), _PARTS):
        count += 1
        known = whole_number(part)
        if known is None:
            factors[part] = factors.get(part, 0) + factor
        else:
            number += known * factor
    return Affine(number, factors, count < _PARTS)


def _parts(value: Value) -> Iterator[tuple[Value, int]]:
    work = [(value, 1)]  # in generated code sums may be thousands of terms deep
    while work:
        each, factor = work.pop()
        each = unconverted(each)
        if not isinstance(each, Operation):
            yield each, factor
        elif each.opcode is Opcode.ADD:
            work += ((operand, factor) for operand in reversed(each.operands))
        elif each.opcode is Opcode.SUB and whole_number(each.operands[1]) is not None:
            work += ((each.operands[1], -factor), (each.operands[0], factor))
        else:
            part, times = _multiplied(each)
            if part is None:
                yield each, factor
            else:
                work.append((part, factor * times))


def _multiplied(product: Operation) -> tuple[Value | None, int]:
    """What an operation multiplies by a constant, and that; None where it does something else."""
    known = [whole_number(each) for each in product.operands]
    if product.opcode is Opcode.MUL and known[1]:
        return product.operands[0], known[1]
    if product.opcode is Opcode.MUL and known[0]:
        return product.operands[1], known[0]
    if product.opcode is Opcode.SHL and known[1] is not None and 0 <= known[1] < 32:
        return product.operands[0], 1 << known[1]
    return None, 1


def counted_from(address: Value) -> Value:
    """The pointer that an address is counted from: the first operand of each sum."""
    while isinstance(address, Operation) and address.opcode in (Opcode.ADD, Opcode.CONVERT):
        address = address.operands[0]
    return address
