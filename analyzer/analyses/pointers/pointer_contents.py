"""What pointers in memory lead to: the contents of objects, for the points-to analysis.

In: the stores and loads of a kernel, each with the objects that its address leads into. Out: the
objects a loaded pointer may lead into; `None` stands for "not known". Follows L. Andersen, "Program
Analysis and Specialization for the C Programming Language" (1994), chapter 4: inclusion, without
order of statements, one set of targets per object. A pointer that the kernel did not store was put
there by the host or an earlier kernel and so leads to global memory (CUDA C++ Programming Guide,
"Device Memory Accesses": no shared or local address survives its kernel): to one object for each
place at a constant distance in its holder, else one for all places of the holder that are not
distinguished. Local and shared memory hold no such pointers. Code that is not followed (a call, a
store through a pointer that is not known) is to global memory what an earlier kernel is: what it
leaves there leads to what the pointer in that place leads to, whatever that is. Of the kernel's own
memory it writes only what was given to it or lost from sight. Not handled: that such code leaves
shared or local addresses in global memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import MemoryObject, Space
from ...ir.operations import Convert, MemoryAccess, Opcode, Operation
from ...ir.types import UNKNOWN
from ...ir.values import Constant, whole_number
from ..dataflow.reachability import reachable

if TYPE_CHECKING:
    from ...ir.values import Value

Targets = frozenset[MemoryObject | None]

NOTHING: Targets = frozenset()
SOMETHING: Targets = frozenset({None})
_FROM_BEFORE = frozenset({Space.GLOBAL, Space.CONSTANT, Space.PARAMETER})
_MANY = 64  # objects that one pointer may lead to; of more nothing is told
_ALIGNED = 256  # bytes that bases are aligned to
_CHAIN = 3  # pointers behind pointers that are distinguished; longer chains are lists and trees


class PointerContents:
    """The targets of pointers that each object of one kernel holds in memory; they only grow.

    While they do, a place that holds nothing may just not have been reached; once `settled`, it
    holds something that is not known. Who has looked at what changed since is in `again`.
    """

    def __init__(self) -> None:
        self.again: set[Operation] = set()
        self.empty: set[Operation] = set()  # they read a pointer from a place that holds none
        self.settled = False
        self._stored: dict[MemoryObject, Targets] = {}
        self._readers: dict[MemoryObject | None, set[Operation]] = {}  # None: of what is anywhere
        self._overwritten: set[MemoryObject] = set()  # local, shared: by something not looked into
        self._exposed: set[MemoryObject] = set()  # local, shared: within reach of any such thing
        self._full: set[MemoryObject | None] = set()  # what leads to too many objects to tell
        self._anywhere: Targets = NOTHING
        self._behind: dict[tuple[MemoryObject, int | None], MemoryObject] = {}
        self._depth: dict[MemoryObject, int] = {}

    def store(self, places: Targets, targets: Targets) -> None:
        """Something with these targets is written to these places."""
        if not targets:
            return
        for place in places:
            if place is None or place.space in _FROM_BEFORE:
                self.expose(targets)
            old = self._anywhere if place is None else self._stored.get(place, NOTHING)
            if targets <= old or place in self._full:
                continue
            self._changed(place)
            both = old | targets
            new = few(both)
            if new is not both:
                self._full.add(place)
            if place is None:
                self._anywhere = new
            else:
                self._stored[place] = new

    def expose(self, targets: Targets) -> None:
        """The addresses of these objects went where they are not followed."""
        for target in targets - self._exposed:
            if target is not None and target.space not in _FROM_BEFORE:
                self._exposed.add(target)
                self._changed(target)

    def forget(self, operation: Operation, places: Targets) -> None:
        """Something not looked into may write to these places and to what lies behind them.

        What it leaves in local and shared memory leads anywhere; it is not followed there: it may
        do as it likes with what it made itself.
        """

        def held(place: MemoryObject | None) -> Targets:
            return NOTHING if place is None else self._stored.get(place, NOTHING)

        for place in reachable(places, held):
            if place is None:
                self.store(SOMETHING, SOMETHING)
            elif place.space not in _FROM_BEFORE and place not in self._overwritten:
                self._overwritten.add(place)
                self._changed(place)
            if place is not None:
                self._reads(operation, place)

    def held(self, access: Operation, places: Targets) -> Targets:
        """What the pointers in these places, or in what is read there, may lead into."""
        found: set[MemoryObject | None] = set()
        for place in places:
            self._reads(access, place)
            if place is None:
                found |= SOMETHING | self._anywhere
                continue
            found |= self._stored.get(place, NOTHING)
            if place.space in _FROM_BEFORE:
                self._reads(access, None)
                found |= self._anywhere - SOMETHING
                found.add(self._of_host(place, access))
            elif place in self._overwritten:
                self._reads(access, None)
                found |= SOMETHING | self._anywhere
            elif place in self._exposed:
                self._reads(access, None)
                found |= self._anywhere
        return few(frozenset(found))

    def settle(self, reader: Operation, found: Targets) -> Targets:
        """What a pointer read from memory may lead into: something, in the end."""
        if found:
            self.empty.discard(reader)
            return found
        self.empty.add(reader)
        return SOMETHING if self.settled else NOTHING

    def _reads(self, reader: Operation, place: MemoryObject | None) -> None:
        self._readers.setdefault(place, set()).add(reader)

    def _changed(self, place: MemoryObject | None) -> None:
        self.again.update(self._readers.get(place, ()))

    def _of_host(self, holder: MemoryObject, access: Operation) -> MemoryObject:
        depth = self._depth.get(holder, 0)
        if depth >= _CHAIN:
            return holder
        distance = displacement(access.operands[0])
        key = (holder, distance)
        if key not in self._behind:
            which = "[...]" if distance is None else f"[{distance}]" if distance else ""
            made = MemoryObject(
                f"*({holder.name}{which})", Space.GLOBAL, UNKNOWN, None, span=holder.span,
                pointee=True,
            )  # fmt: skip
            self._behind[key] = made
            self._depth[made] = depth + 1
        return self._behind[key]


def few(targets: Targets) -> Targets:
    """The targets of a pointer, or that they are not known, where there are too many to tell
    anything.
    """
    return targets if len(targets) <= _MANY else SOMETHING


def displacement(address: Value) -> int | None:
    """The bytes between an address and the pointer it starts from; None when they vary. Bases are
    aligned to what addresses are rounded to: `(p + 15) & ~15`.
    """
    total = 0
    while isinstance(address, Operation):
        if isinstance(address, Convert):
            address = address.operands[0]
            continue
        if address.opcode is Opcode.AND:
            mask = whole_number(address.operands[1])
            inner = None if mask is None else displacement(address.operands[0])
            if mask is None or inner is None or not _rounds_down(mask, address.type.bits or 64):
                return None
            return (inner & mask) + total
        if address.opcode is Opcode.SUB:
            number = whole_number(address.operands[1])
            if number is None:
                return None
            total -= number
            address = address.operands[0]
            continue
        if address.opcode is not Opcode.ADD:
            return None if not isinstance(address, MemoryAccess) else total
        left, right = address.operands
        if isinstance(left, Constant):
            left, right = right, left
        if not isinstance(right, Constant) or not isinstance(right.value, int):
            return None
        total += right.value
        address = left
    return total


def _rounds_down(mask: int, bits: int) -> bool:
    """Whether it clears nothing but the last bits of an address."""
    cleared = ~mask & ((1 << bits) - 1)
    return not cleared & (cleared + 1) and cleared < _ALIGNED
