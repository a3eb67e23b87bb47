"""Where the array starts that an address leads into, among those that share one object.

Code lays several arrays into one: the members of a struct, the parts of dynamic shared memory. An
address begins with a pointer at a constant distance from its object; indices come behind it. That
distance tells `s->counts[i]` from `s->flags[i]`, and does not tell `a[i]` from `a[i + 1]`.
In: an address. Out: the distance in bytes; None for pointers that move. PTX keeps constant indices
apart from others, so that the distance says less there. Also in: two accesses that meet in dynamic
shared memory. Out: the one that has left its own array for that of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.operations import Convert, Opcode, Operation
from .pointer_contents import displacement

if TYPE_CHECKING:
    from ..ir.operations import MemoryAccess
    from ..ir.values import Value
    from .conflicts import Conflict
    from .points_to import PointsTo


def array_start(address: Value, points_to: PointsTo) -> int | None:
    """The bytes between the object and the array in it that an address leads into."""
    while True:
        found = displacement(address)
        if found is not None or not isinstance(address, Operation):
            return found
        if address.opcode is not Opcode.ADD and not isinstance(address, Convert):
            return None
        bases = [each for each in address.operands if points_to.of(each) - {None}]
        if len(bases) != 1:
            return None
        address = bases[0]


def overrunning(conflict: Conflict, points_to: PointsTo) -> MemoryAccess | None:
    """The access that leads from one array in dynamic shared memory into the next, if one does."""
    if not conflict.item.dynamic:
        return None
    accesses = (conflict.first.access, conflict.second.access)
    one, other = (array_start(access.address, points_to) for access in accesses)
    if one is None or other is None or one == other or conflict.offset < max(one, other):
        return None
    return accesses[one > other]
