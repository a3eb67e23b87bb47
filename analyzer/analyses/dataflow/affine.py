"""A sum, taken apart: what is added, and the constant that each part is multiplied with.

In: a value. Out: its parts, in order, each with its factor; a part may come several times. Not
taken apart: differences, and products of which no operand is a constant. Conversions are looked
through, as indices do not overflow.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation, unconverted
from ...ir.values import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value

PARTS = 100  # a sum that is added to itself over and over has no end of them


def terms(value: Value) -> list[tuple[Value, int]]:
    """The first hundred parts of a sum, each with its factor."""
    return list(islice(_terms(value), PARTS))


def _terms(value: Value) -> Iterator[tuple[Value, int]]:
    work = [(value, 1)]  # in generated code sums may be thousands of terms deep
    while work:
        each, factor = work.pop()
        each = unconverted(each)
        if not isinstance(each, Operation):
            yield each, factor
        elif each.opcode is Opcode.ADD:
            work += ((operand, factor) for operand in reversed(each.operands))
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
