"""Whole numbers that a block itself has put into memory: what loads find in a run of the block.

In: the stores of a run (`execution.py`), with their places and values. Out: what a load finds where
threads of the block have stored before, `next[i] = i / 2; __syncthreads(); j = next[i];`.
Remembered are numbers that depend on nothing that is assumed, in arrays all of whose elements are
accessed as one type. Nothing is remembered across code that is not followed, iterations that are
left out, and stores whose place is not known; what a thread may have stored is not known. A load
without a barrier behind the store is a race, whatever it finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, MemoryAccess
from .per_thread import PerThread
from .thread_vectors import entries, flags, numbers

if TYPE_CHECKING:
    from collections.abc import Container

    from ...ir.values import Value
    from .number_arrays import NumberArrays
    from .run_context import AccessEvent
    from .thread_vectors import Threads, Vector


class RememberedArrays:
    """The arrays whose stored numbers are worth remembering in runs of one launch, and who may
    write to them.
    """

    def __init__(self, arrays: NumberArrays, assumed: Container[Value]) -> None:
        self._points_to = arrays.points_to
        known = [each for each in arrays.stores if each[0].operands[1] not in assumed]
        self._trusted = {store for store, _ in known}
        self.items = {item for _, item in known}

    def is_remembered(self, access: MemoryAccess) -> bool:
        """Whether what an access stores, or loads, may be known."""
        loads = access.kind is AccessKind.LOAD and not (access.volatile or access.scope)
        known = loads or access in self._trusted
        return known and self._points_to.object_of(access) in self.items

    def may_write(self, access: MemoryAccess) -> bool:
        """Whether an access may change what is remembered."""
        touched = self._points_to.touched(access)
        return access.writes and (None in touched or not self.items.isdisjoint(touched))


class StoredNumbers:
    """The whole numbers that the block has stored in memory in one run."""

    def __init__(self, arrays: RememberedArrays, count: int) -> None:
        self._arrays = arrays
        self._count = count
        self._held: dict[int, int] = {}

    def forget(self) -> None:
        """Anything may have been stored."""
        self._held.clear()

    def store(self, event: AccessEvent) -> None:
        """Threads store; two of them at one place are a race, and leave nothing that is known."""
        if not self._arrays.may_write(event.access):
            return
        if event.addresses is None or not self._arrays.is_remembered(event.access):
            self.forget()
            return
        count = self._count
        places = list(entries(event.addresses, count))
        stored = list(entries(event.stored, count))
        must = flags(event.must, count)
        new: dict[int, int | None] = {}
        for thread in numbers(event.must | event.may, count):
            place = places[thread]
            if place is None:
                self.forget()
                return
            number = stored[thread] if must[thread] else None
            new[place] = number if new.get(place, number) == number else None
        for place, number in new.items():
            if number is None:
                self._held.pop(place, None)
            else:
                self._held[place] = number

    def load(self, access: MemoryAccess, addresses: Vector, threads: Threads) -> Vector:
        """What threads find, as far as all of it was stored by the block."""
        if not self._held or addresses is None or not self._arrays.is_remembered(access):
            return None
        if isinstance(addresses, int):
            return self._held.get(addresses)
        found = [
            self._held.get(place) if flag and place is not None else None
            for place, flag in zip(addresses, flags(threads, self._count), strict=False)
        ]
        return PerThread(tuple(found)) if any(each is not None for each in found) else None
