"""Two blocks of a grid at the same bytes, as one run of each shows them.

In: the visits of a run of each block (`execution.py`). Out: for each pair of accesses that
conflicts between blocks (`grid_accesses.py`) two threads, one of each block, at the same bytes in
the same interval between barriers of the grid. Only threads that are sure to come count, but for
updates that input decides about.
A call that was not read may order the blocks: what comes after it is not looked at.
"""

from __future__ import annotations

from functools import cached_property, reduce
from itertools import product
from operator import or_
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import BETWEEN_BLOCKS
from ...ir.operations import AccessKind, Barrier, MemoryAccess
from ...ir.values import Constant
from ..block_execution.access_events import Conflict, ThreadAccess
from ..block_execution.thread_vectors import active, flags, numbers
from .absorbing_stores import AbsorbingStores
from .dead_reads import paths_of_takers
from .equal_stores import changes_nothing

if TYPE_CHECKING:
    from ...ir.kernel import Dimensions
    from ...ir.operations import Operation
    from ..block_execution.block_program import BlockProgram
    from ..block_execution.run_context import AccessEvent
    from ..block_execution.thread_vectors import Threads
    from ..dataflow.control_flow import ControlEdge
    from .grid_accesses import GridAccesses

PLACES = 200_000  # noted for one block; what comes later is not looked at
EXAMPLES = 64  # common places that are tried for two different values
Places = dict[int, tuple["AccessEvent", int]]  # the first visit and thread there
GridConflicts = dict[tuple["MemoryAccess", "MemoryAccess"], Conflict]


class Touched:
    """What one access touches of global memory in a block: between what addresses, and each place,
    if asked for.
    """

    def __init__(self, unit: int, count: int) -> None:
        self._unit = unit
        self._count = count
        self._events: list[tuple[AccessEvent, Threads]] = []
        self._low, self._end = 0, 0

    def add(self, event: AccessEvent, threads: Threads, low: int, high: int) -> None:
        """Threads go to places that begin between two addresses."""
        end = high + (event.access.width or 1)
        self._low = min(self._low, low) if self._events else low
        self._end = max(self._end, end)
        self._events.append((event, threads))

    def may_meet(self, other: Touched) -> bool:
        """Whether they reach into the same part of memory."""
        return self._low < other._end and other._low < self._end

    @cached_property
    def places(self) -> Places:
        """The first visit and thread at each place; asked for once the run is over."""
        found: Places = {}
        unit = self._unit
        for event, threads in self._events:
            width = event.access.width or 1
            reached = active(event.addresses, threads, self._count)
            if isinstance(event.addresses, int):
                del reached[1:]  # one thread stands for all
            for thread, address in zip(numbers(threads, self._count), reached, strict=False):
                if address is None:
                    continue
                for place in range(address // unit, -(-(address + width) // unit)):
                    found.setdefault(place, (event, thread))
        return found


Interval = dict["MemoryAccess", Touched]


class GridEvents:
    """Watches the run of one block of a grid: who touches which place of global memory."""

    def __init__(self, program: BlockProgram, accesses: GridAccesses, count: int) -> None:
        self._program = program
        self._accesses = accesses
        self._unit = accesses.unit
        self._count = count  # threads of the block
        self._left = PLACES
        self._closed = False
        self._seen: set[tuple[object, ...]] = set()
        self.left_arrays = False
        self.intervals: list[Interval] = [{}]  # between barriers of the grid

    # ---- the observer ----------------------------------------------------------------------------

    def access(self, event: AccessEvent) -> None:
        """Notes the places of threads that are sure to come."""
        access = event.access
        if access not in self._accesses.order or self._closed or self._left <= 0:
            return
        threads = event.must
        if access in self._accesses.contended:
            threads |= event.may
        if event.addresses is None or not threads:
            return
        key = (access, event.addresses, threads)
        if key not in self._seen:
            self._seen.add(key)
            self._note(event, threads)

    def block_barrier(self, barrier: Operation) -> None:
        """A barrier of the grid begins a new interval."""
        if isinstance(barrier, Barrier) and barrier.kind in BETWEEN_BLOCKS:
            self.intervals.append({})
            self._seen.clear()

    def unread_call(self, call: Operation) -> None:
        """May order the blocks: what comes after it is not looked at."""
        self._closed = True

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """Orders nothing between blocks."""

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """Orders nothing by itself."""

    def _note(self, event: AccessEvent, threads: Threads) -> None:
        access = event.access
        if isinstance(event.addresses, int):
            reached = [event.addresses]  # one thread stands for all
        else:
            addresses = active(event.addresses, threads, self._count)
            reached = [address for address in addresses if address is not None]
        low, high = min(reached, default=0), max(reached, default=0)
        if not reached or not self._is_inside(access, low, high):
            return
        self._left -= len(reached) * ((access.width or 1) // self._unit + 1)
        if self._left > 0:
            touched = self.intervals[-1].setdefault(access, Touched(self._unit, self._count))
            touched.add(event, threads, low, high)

    def _is_inside(self, access: MemoryAccess, low: int, high: int) -> bool:
        """Whether all of it lies in one object of global memory."""
        found = self._program.object_at(low)
        if found is None or found[0].space is not Space.GLOBAL:
            return False
        item, offset = found
        if item.size is not None and offset + high - low + (access.width or 1) > item.size:
            self.left_arrays = True
            return False
        return True


class BlockPairs:
    """The conflicts between blocks of one grid, compared two by two."""

    def __init__(self, program: BlockProgram, accesses: GridAccesses, count: int) -> None:
        self._program = program
        self._absorbing = AbsorbingStores(program.flow)
        self._accesses = accesses
        self._count = count  # threads of a block
        self._ways: dict[MemoryAccess, frozenset[ControlEdge]] = {}
        self.found: GridConflicts = {}
        self.equal: GridConflicts = {}  # the same value written, as far as it is known

    def compare(
        self, blocks: tuple[Dimensions, Dimensions], one: GridEvents, other: GridEvents
    ) -> None:
        """Adds the conflicts of two blocks."""
        order = self._accesses.order
        for ours, theirs in zip(one.intervals, other.intervals, strict=False):
            here, there = sorted(ours, key=order.__getitem__), sorted(theirs, key=order.__getitem__)
            for first, second in product(here, there):
                pair = (first, second) if order[first] <= order[second] else (second, first)
                if pair in self.found or not ours[first].may_meet(theirs[second]):
                    continue
                if self._accesses.conflict(*pair):
                    self._meet(blocks, (first, ours), (second, theirs))

    def _meet(
        self,
        blocks: tuple[Dimensions, Dimensions],
        one: tuple[MemoryAccess, Interval],
        other: tuple[MemoryAccess, Interval],
    ) -> None:
        """Looks for an example of two accesses, each with all that its block touches meanwhile."""
        ours, theirs = one[1][one[0]].places, other[1][other[0]].places
        for place in sorted(ours.keys() & theirs.keys())[:EXAMPLES]:
            touches = [
                ThreadAccess(event, thread, True, block)
                for block, (event, thread) in zip(blocks, (ours[place], theirs[place]), strict=True)
            ]
            here, there = touches
            if self._stays(here, there, one[1]) or self._stays(there, here, other[1]):
                continue
            if self._is_dead_read(here, one[1]) or self._is_dead_read(there, other[1]):
                continue
            order = self._accesses.order
            first, second = sorted(touches, key=lambda touch: order[touch.access])
            conflict = self._conflict(first, second)
            if conflict is None:
                continue
            key = (first.access, second.access)
            # What input decides about stores what it has read, whatever number stands for that.
            if first.access not in self._accesses.contended and self._equal(first, second):
                self.equal.setdefault(key, conflict)
            else:
                self.found[key] = conflict
                return

    def _equal(self, first: ThreadAccess, second: ThreadAccess) -> bool:
        """Whether two stores are known to write the same value."""
        formulas = self._accesses.equal_formulas
        return _store_one_number(first, second) or formulas.store_the_same(first, second)

    def _is_dead_read(self, read: ThreadAccess, interval: Interval) -> bool:
        """Whether a thread goes another way than those of its block who take what it reads."""
        load = read.access
        if load.kind is not AccessKind.LOAD:
            return False
        facts = self._accesses.facts
        if load not in self._ways:
            self._ways[load] = paths_of_takers(facts, load)
        ways = self._ways[load]
        takers = {
            event
            for access, touched in (interval.items() if ways else ())
            if not ways.isdisjoint(facts.flow.controlling_edges(access.block))
            for event, _ in touched.places.values()
        }
        taking = reduce(or_, (event.must | event.may for event in takers), 0)
        return bool(takers) and not flags(taking, self._count)[read.thread]

    def _stays(self, store: ThreadAccess, other: ThreadAccess, interval: Interval) -> bool:
        """Whether a thread stores what its block finds there, and the other one reads it."""
        if store.access.kind is not AccessKind.STORE or other.access.kind is not AccessKind.LOAD:
            return False
        value = store.access.operands[1]
        loaded = interval.get(value) if isinstance(value, MemoryAccess) else None
        found = loaded.places if loaded is not None else {}
        if changes_nothing(store, other, (event for event, _ in found.values())):
            return True
        events = (event for each in interval.values() for event, _ in each.places.values())
        return self._absorbing.keep(store, events)

    def _conflict(self, first: ThreadAccess, second: ThreadAccess) -> Conflict | None:
        start = max(first.address, second.address)
        ends = [touch.address + (touch.access.width or 1) for touch in (first, second)]
        place = self._program.object_at(start)
        if place is None or min(ends) <= start:
            return None
        return Conflict(first, second, *place)


def _store_one_number(first: ThreadAccess, second: ThreadAccess) -> bool:
    """Whether two stores are known to write the same number."""
    stores = (AccessKind.STORE, AccessKind.STORE)
    if (first.access.kind, second.access.kind) != stores:
        return False
    if first.stored is not None and second.stored is not None:
        return first.stored == second.stored
    value, other = first.access.operands[1], second.access.operands[1]
    return (
        isinstance(value, Constant) and isinstance(other, Constant) and value.value == other.value
    )
