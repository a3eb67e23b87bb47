"""Where the array starts that an address leads into, among those that share one object.

Code lays several arrays into one: the members of a struct, the parts of dynamic shared memory. An
address begins with a pointer at a constant distance from its object; indices come behind it. That
distance tells `s->counts[i]` from `s->flags[i]`, and does not tell `a[i]` from `a[i + 1]`.
In: an address. Out: the distance in bytes; None for pointers that move. PTX keeps constant indices
apart from others, so that the distance says less there: of two addresses, whether they are those
of two elements that follow one another. Also in: two accesses that meet in dynamic shared memory,
or in an object with members. Out: the one that has left its own array for that of the other. Of two
that meet in any memory: whether they go by pointers that lie a parameter apart, `keys = tile + n`;
one of them then has left its own array, too.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ...ir.operations import Convert, Opcode, Operation
from ...ir.values import Constant, ObjectAddress, Parameter, whole_number
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import alike
from ..pointers.member_bounds import leaves_member
from ..pointers.pointer_contents import displacement

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..pointers.points_to import PointsTo
    from .access_events import Conflict

_UNMOVED = (Constant, ObjectAddress, Parameter)


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


def are_neighbours(one: Value, other: Value) -> bool:
    """Whether two addresses differ by the step of an index of both: `a[i]`, `a[i - 1]`."""
    (base, start), (same, end) = _without_constant(one), _without_constant(other)
    return base is same and abs(start - end) == _step(base)


def _without_constant(address: Value) -> tuple[Value, int]:
    """An address without the constants that are added last, or taken off, and their sum."""
    total = 0
    while isinstance(address, Operation) and address.opcode in (Opcode.ADD, Opcode.SUB):
        number = whole_number(address.operands[1])
        if number is None:
            break
        total += number if address.opcode is Opcode.ADD else -number
        address = address.operands[0]
    return address, total


def _step(address: Value) -> int:
    """The bytes between two elements of the array that an address leads into; 0 if not known."""
    steps: set[int] = set()
    work = [address]
    while work:
        each = work.pop()
        if not isinstance(each, Operation):
            continue
        number = whole_number(each.operands[-1]) if len(each.operands) > 1 else None
        if each.opcode is Opcode.MUL and number is not None:
            steps.add(number)
        elif each.opcode is Opcode.SHL and number is not None:
            steps.add(1 << number)
        elif each.opcode is Opcode.ADD or isinstance(each, Convert):
            work += each.operands
    return gcd(*steps)


def overrunning(conflict: Conflict, points_to: PointsTo) -> MemoryAccess | None:
    """The access that leads from one array in dynamic shared memory, or from a member, into the
    next, if one does.
    """
    for touch in (conflict.first, conflict.second):
        if leaves_member(conflict.item, touch.access.address, points_to, conflict.offset):
            return touch.access
    if not conflict.item.dynamic:
        return None
    accesses = (conflict.first.access, conflict.second.access)
    one, other = (array_start(access.address, points_to) for access in accesses)
    if one is None or other is None or one == other or conflict.offset < max(one, other):
        return None
    return accesses[one > other]


def are_laid_apart(conflict: Conflict, points_to: PointsTo) -> bool:
    """Whether two accesses go by pointers that lie apart by what parameters make."""
    one, other = (
        _laid_out(each.access.address, points_to) for each in (conflict.first, conflict.second)
    )
    return one is not None and other is not None and not alike(one, other)


def _laid_out(address: Value, points_to: PointsTo) -> Value | None:
    """The last pointer before an address that no thread or iteration has a part in."""
    while True:
        address = _without_constant(address)[0]
        if all(isinstance(each, _UNMOVED) or _is_sum(each) for each in backward_slice(address)):
            return address
        if not isinstance(address, Operation):
            return None
        bases = [each for each in address.operands if points_to.of(each) - {None}]
        if len(bases) != 1 or not _is_sum(address):
            return None
        address = bases[0]


def _is_sum(value: Value) -> bool:
    return isinstance(value, Operation) and (
        isinstance(value, Convert) or value.opcode in (Opcode.ADD, Opcode.MUL, Opcode.SHL)
    )
