"""The pointers that an address was moved from, back to the object that it leads into.

Problem: an address is a pointer plus indices, and that pointer may be another one plus constants:
where does an array lie in its object, and what was added when. In: an address and the points-to
analysis. Out: the address, then the one operand of its sum that is a pointer, and so on. It ends
where a pointer is no sum, or the sum of two of them. A difference is none: what an index takes off
tells nothing of where an array begins. Example: `(p + 64) + 4 * i`, `p + 64`, `p`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from .points_to import PointsTo

_SUMS = frozenset({Opcode.ADD, Opcode.CONVERT})


def pointers_of(address: Value, points_to: PointsTo) -> Iterator[Value]:
    """The address, then each pointer that it was moved from, back to its object."""
    bases = [address]
    while len(bases) == 1:
        yield bases[0]
        each = bases[0]
        sums = isinstance(each, Operation) and each.opcode in _SUMS
        bases = [base for base in each.operands if points_to.of(base) - {None}] if sums else []
