"""What pointers in memory lead to: the contents of objects, for the points-to analysis.

In: the stores and loads of a kernel, each with the objects that its address leads into. Out: the
objects a loaded pointer may lead into; `None` stands for "not known". Follows L. Andersen, "Program
Analysis and Specialization for the C Programming Language" (1994), chapter 4: inclusion, without
order of statements, one set of targets per object.
A pointer that the kernel did not store was put there by the host or an earlier kernel and so leads
to global memory (CUDA C++ Programming Guide, "Device Memory Accesses": no shared or local address
survives its kernel): to one object for each place at a constant distance in its holder, else one
for all places of the holder that are not told apart. Local and shared memory hold no such pointers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.memory import MemoryObject, Space
from ..ir.operations import Convert, MemoryAccess, Opcode, Operation
from ..ir.types import POINTER
from ..ir.values import Constant

if TYPE_CHECKING:
    from ..ir.values import Value

Targets = frozenset[MemoryObject | None]

NOTHING: Targets = frozenset()
SOMETHING: Targets = frozenset({None})
_FROM_BEFORE = frozenset({Space.GLOBAL, Space.CONSTANT, Space.PARAMETER})
_MANY = 64  # objects that one pointer may lead to; of more nothing is told
_CHAIN = 3  # pointers behind pointers that are told apart; longer chains are lists and trees


class PointerContents:
    """The targets that each object of one kernel holds; they only grow.

    While they do, a place that holds nothing may just not have been reached; once `settled`, it
    holds something that is not known.
    """

    def __init__(self) -> None:
        self.changed = False
        self.empty = False  # a pointer was read from a place that holds none
        self.settled = False
        self._stored: dict[MemoryObject, Targets] = {}
        self._overwritten: set[MemoryObject] = set()  # by something not looked into
        self._full: set[MemoryObject | None] = set()  # what leads to too many objects to tell
        self._anywhere: Targets = NOTHING
        self._behind: dict[tuple[MemoryObject, int | None], MemoryObject] = {}
        self._depth: dict[MemoryObject, int] = {}

    def store(self, places: Targets, targets: Targets) -> None:
        """Something with these targets is written to these places."""
        if not targets:
            return
        for place in places:
            old = self._anywhere if place is None else self._stored.get(place, NOTHING)
            if targets <= old or place in self._full:
                continue
            self.changed = True
            both = old | targets
            new = few(both)
            if new is not both:
                self._full.add(place)
            if place is None:
                self._anywhere = new
            else:
                self._stored[place] = new

    def forget(self, places: Targets) -> None:
        """Something not looked into may write to these places and to what lies behind them.

        What it leaves in them leads anywhere; it is not followed there: it may do as it likes with
        what it made itself.
        """
        work = list(places)
        seen: set[MemoryObject | None] = set()
        while work:
            place = work.pop()
            if place in seen:
                continue
            seen.add(place)
            if place is None:
                self.store(SOMETHING, SOMETHING)
            elif place not in self._overwritten:
                self._overwritten.add(place)
                self.changed = True
            work += self._stored.get(place, NOTHING) if place is not None else ()

    def held(self, access: Operation, places: Targets) -> Targets:
        """What the pointers in these places, or in what is read there, may lead into."""
        found: set[MemoryObject | None] = set(self._anywhere)
        for place in places:
            if place is None:
                found.add(None)
                continue
            found |= self._stored.get(place, NOTHING)
            found |= SOMETHING if place in self._overwritten else NOTHING
            if place.space in _FROM_BEFORE:
                found.add(self._of_host(place, access))
        return few(frozenset(found))

    def settle(self, found: Targets) -> Targets:
        """What a pointer read from memory may lead into: something, in the end."""
        if found:
            return found
        self.empty = True
        return SOMETHING if self.settled else NOTHING

    def _of_host(self, holder: MemoryObject, access: Operation) -> MemoryObject:
        depth = self._depth.get(holder, 0)
        if depth >= _CHAIN:
            return holder
        distance = displacement(access.operands[0])
        key = (holder, distance)
        if key not in self._behind:
            which = "[...]" if distance is None else f"[{distance}]" if distance else ""
            made = MemoryObject(
                f"*({holder.name}{which})", Space.GLOBAL, POINTER, None, span=holder.span,
                pointee=True,
            )  # fmt: skip
            self._behind[key] = made
            self._depth[made] = depth + 1
        return self._behind[key]


def few(targets: Targets) -> Targets:
    """The targets, or that they are not known, where there are too many to tell anything."""
    return targets if len(targets) <= _MANY else SOMETHING


def displacement(address: Value) -> int | None:
    """The bytes between an address and the base it starts from; None when they vary."""
    total = 0
    while isinstance(address, Operation):
        if isinstance(address, Convert):
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
