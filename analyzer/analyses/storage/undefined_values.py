"""Where undefined elements of shared arrays come to while a block is run.

Problem: sums of a warp in an array with some elements more, `s[t] += s[t + 16]`, read what nobody
has written, and what is made of it stays with lanes whose sums nobody takes. In: the accesses of a
run, in order, and the threads that read an undefined element. Algorithm: taint, for each byte of
the arrays and for each thread and load; a thread that has once loaded something undefined keeps
it. Out: the arrays of which something undefined is used: stored elsewhere, part of an address or of
a condition, given to other lanes or to an atomic operation. What is doubtful counts as a use:
values that go from one array to another; stores that perhaps happen leave what was undefined.
Example: with 256 threads and `s[256 + 16]` thread 240 adds `s[256]`, 232 adds `s[240]` after that,
and no lane 0 ever adds any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import EFFECTS, AccessKind, MemoryAccess
from ..dataflow.slices import backward_slice, forward_slice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...ir.memory import MemoryObject
    from ..races.facts import RaceFacts


class UndefinedValues:
    """What of some shared arrays is undefined at a point of a run, and which are used so."""

    def __init__(self, facts: RaceFacts, items: Iterable[MemoryObject]) -> None:
        self._facts = facts
        self._bytes = {item: bytearray(item.size or 0) for item in items}
        self._held: dict[MemoryAccess, set[int]] = {}
        self._sources: dict[MemoryAccess, list[MemoryAccess]] = {}
        self._loads: dict[MemoryAccess, MemoryObject] = {}
        for access in facts.accesses:
            item = facts.points_to.object_of(access)
            if item in self._bytes and access.kind is AccessKind.LOAD:
                assert item is not None
                self._loads[access] = item
        #: The arrays of which an undefined element is used, or may be for all that is seen here.
        self.used = {item for load, item in self._loads.items() if self._is_used_at_once(load)}

    def _is_used_at_once(self, load: MemoryAccess) -> bool:
        """Whether anything but accesses takes what is loaded, or an access as its address."""
        values = forward_slice([load], self._facts.users)
        return any(
            each is not load
            and getattr(each, "opcode", None) in EFFECTS
            and not (isinstance(each, MemoryAccess) and each.operands[0] not in values)
            for each in values
        )

    def loads(self, access: MemoryAccess, thread: int, offset: int, *, written: bool) -> None:
        """A thread loads an element, which something was stored in before or not."""
        item = self._loads.get(access)
        if item is None:
            return
        end = offset + (access.width or 1)
        if not written or any(self._bytes[item][offset:end]):
            self._held.setdefault(access, set()).add(thread)

    def stores(self, access: MemoryAccess, threads: Sequence[int]) -> frozenset[int]:
        """The threads that store something undefined in the array that it comes from; if it comes
        from another one, or is no plain store, that is used.
        """
        target = self._facts.points_to.object_of(access)
        found: set[int] = set()
        for source in self._made_of(access):
            undefined = self._held.get(source, set()).intersection(threads)
            if not undefined:
                continue
            if self._loads[source] is target and access.kind is AccessKind.STORE:
                found |= undefined
            else:
                self.used.add(self._loads[source])
        return frozenset(found)

    def keep(self, item: MemoryObject, offset: int, width: int, *, undefined: bool) -> None:
        """An element holds something undefined, or no longer."""
        self._bytes[item][offset : offset + width] = bytes([undefined]) * width

    def _made_of(self, access: MemoryAccess) -> list[MemoryAccess]:
        """The loads from the arrays that an access takes something of."""
        if access not in self._sources:
            taken = set(backward_slice(*access.operands))
            self._sources[access] = [
                each for each in self._loads if each is not access and each in taken
            ]
        return self._sources[access]
