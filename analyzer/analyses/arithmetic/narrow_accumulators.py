"""Sums that lose what they sum up: integers that gather floats.

In: a kernel. Out: a variable of integer type that a loop adds floats to, `int sum; sum += a * b`:
each iteration widens it to float, adds, and cuts the result off. In SSA that is a phi of the loop
with a conversion from float among its operands, of a sum in which the phi has a part. A cast in the
source is meant; a variable whose type is not known, `T sum = 0`, may be a float.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ...ir.operations import Convert, Opcode, Operation, Phi
from ...ir.types import Kind
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Kernel
    from ...ir.values import Value

_SUMMING = frozenset({Opcode.ADD, Opcode.SUB})


@dataclass(frozen=True, slots=True)
class NarrowAccumulator:
    """The sum that is cut off in each iteration."""

    update: Operation
    phi: Phi


def narrow_accumulators(kernel: Kernel) -> Iterator[NarrowAccumulator]:
    """The sums of a kernel, in its order."""
    for phi in kernel.operations():
        if not isinstance(phi, Phi) or phi.open or phi.type.kind is not Kind.INTEGER:
            continue
        for value in phi.operands:
            if not isinstance(value, Convert) or value.written:
                continue
            total = value.operands[0]
            if _is_sum_of_floats(total) and any(_is_widened(v, phi) for v in total.operands):
                yield NarrowAccumulator(total, phi)


def _is_sum_of_floats(value: Value) -> TypeGuard[Operation]:
    is_sum = isinstance(value, Operation) and value.opcode in _SUMMING
    return is_sum and value.type.kind is Kind.FLOAT


def _is_widened(value: Value, phi: Phi) -> bool:
    return isinstance(value, Convert) and not value.written and value.operands[0] is phi
