"""Where the array starts that an address leads into, among those that share one object.

Code lays several arrays into one: the members of a struct, the parts of dynamic shared memory. An
address begins with a pointer at a constant distance from its object; indices come behind it. That
distance tells `s->counts[i]` from `s->flags[i]`, and does not tell `a[i]` from `a[i + 1]`. Where it
is computed, a branch that the block takes as one may have a part in it.
In: an address. Out: the distance in bytes; None for pointers that move. PTX keeps constant indices
apart from others, so that the distance says less there: of two addresses, whether they are those
of two elements that follow one another. Also in: two accesses that meet in shared memory, or in an
object with members. Out: the one that has left its own array for that of the other. Of two
that meet in any memory: whether they go by pointers that lie a parameter apart, `keys = tile + n`;
one of them then has left its own array, too.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import EFFECTS, AccessKind, MemoryAccess, Opcode, Operation, Phi
from ...ir.values import Constant, ObjectAddress, Parameter, SpecialRegister
from ..dataflow.affine import affine
from ..dataflow.induction import handed_over
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import alike
from ..pointers.member_bounds import leaves_member
from ..pointers.pointer_chain import pointers_of
from ..pointers.pointer_contents import displacement
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from ...ir.values import Value
    from ..pointers.points_to import PointsTo
    from .access_events import Conflict
    from .facts import BlockLaunch
    from .run_context import AccessEvent

_UNMOVED = (Constant, ObjectAddress, Parameter)
_OF_THREADS = ("tid", "lane", "warpid", "clock")


def array_start(address: Value, points_to: PointsTo) -> int | None:
    """The bytes from an object to the array in it that the address of an access leads into."""
    found = map(displacement, pointers_of(address, points_to))
    return next((each for each in found if each is not None), None)


def are_neighbours(one: Value, other: Value) -> bool:
    """Whether the addresses of two accesses differ by the step of an index of both: `a[i]`, `a[i -
    1]`.
    """
    first, second = affine(one), affine(other)
    steps = (factor for factor in first.factors.values() if factor != 1)  # not of pointers
    distance = abs(first.number - second.number)
    return first.factors == second.factors and distance == gcd(*steps)


def overrunning(conflict: Conflict, points_to: PointsTo, *, in_source: bool) -> MemoryAccess | None:
    """The access that leads from one array in shared memory, or from a member, into the next, if
    one does; the parts of a static array are told apart `in_source` alone, not in PTX.
    """
    for touch in (conflict.first, conflict.second):
        if leaves_member(conflict.item, touch.access.address, points_to, conflict.offset):
            return touch.access
    parts = in_source and conflict.item.space is Space.SHARED
    if not (conflict.item.dynamic or parts):
        return None
    accesses = conflict.accesses
    one, other = (array_start(access.address, points_to) for access in accesses)
    if one is None or other is None or one == other or conflict.offset < max(one, other):
        return None
    return accesses[one > other]


def are_laid_apart(conflict: Conflict, launch: BlockLaunch) -> bool:
    """Whether two conflicting accesses go by pointers into one object that sizes in parameters lay
    apart.
    """
    one, other = (_starts_from(each.event, launch) for each in (conflict.first, conflict.second))
    if one is None or other is None:
        return False
    return affine(one).factors != affine(other).factors and not alike(one, other)


def _starts_from(event: AccessEvent, launch: BlockLaunch) -> Value | None:
    """The pointer that an access begins with, in its iteration: buffers may be swapped in loops."""
    return _laid_out(event.access.address, launch, event.iterations)


def begin_alike(one: Value, other: Value, launch: BlockLaunch) -> bool:
    """Whether the addresses of two accesses lead into one array, among those that share
    an object.
    """
    first, second = (_laid_out(each, launch) for each in (one, other))
    return first is not None and second is not None and alike(first, second)


def _laid_out(
    address: Value, launch: BlockLaunch, iterations: tuple[int, ...] = ()
) -> Value | None:
    """The last pointer before an address that no thread or iteration has a part in."""
    if isinstance(address, Operation) and address.opcode is Opcode.SUB:
        address = address.operands[0]  # PTX takes the constant part of an index off at last
    flow = launch.facts.flow
    for each in pointers_of(address, launch.facts.points_to):
        around = flow.loop_nest(each.block)[::-1] if isinstance(each, Phi) else ()
        at = iterations[len(around) - 1 :][:1] if around else ()
        start = handed_over(flow, each, at[0]) if isinstance(each, Phi) and at else each
        if all(_stays(part, launch) for part in backward_slice(start)):
            return start
    return None


def _stays(value: Value, launch: BlockLaunch) -> bool:
    """Whether a part of a pointer is computed without a thread's index, and is no iteration's."""
    if isinstance(value, MemoryAccess):
        return value.kind is AccessKind.LOAD and not value.volatile
    if isinstance(value, Operation) and value.opcode is Opcode.PHI:
        decided_once = not launch.facts.flow.loop_nest(value.block)
        return decided_once and launch.uniformity.of(value) <= Uniformity.BLOCK
    if isinstance(value, Operation):
        return value.opcode not in EFFECTS
    if isinstance(value, SpecialRegister):
        return not value.register.value.startswith(_OF_THREADS)
    return isinstance(value, _UNMOVED)
