"""Pairs of accesses of a block that nothing orders, as a run of the block shows them.

In: the visits and barriers of one run (`execution.py`). Out: for each pair of accesses two
threads that touch the same bytes between two barriers, at least one of them writing, not both
atomic; the pair of another warp before one of the same warp.
Two threads of a warp are ordered by `__syncwarp` and, where the run says so, by every exchange of
lanes. A conflict across an unread call is marked, as that may synchronise. An asynchronous copy
stays unordered until any wait. Follows the PTX ISA, chapter "Memory Consistency Model".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from ...ir.asynchronous import CopyBarrier
from ...ir.operation_kinds import CopyStep
from ...ir.operations import WHOLE, AccessKind, Barrier
from ...ir.tiles import Lines
from ..block_execution.access_events import Conflict, Outside, ThreadAccess
from ..block_execution.comparison_effort import CONFLICT, PLACES
from ..block_execution.thread_vectors import active, entry_of, flags, numbers, size
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.tile_barriers import TileBarriers, in_one
from .absorbing_stores import AbsorbingStores
from .access_groups import AccessGroup, Places, are_in_step, ends_of_warps, touched
from .equal_stores import changes_nothing, own_store, stores_alike
from .unplaced_accesses import REPEATS, RankedStores, UnplacedAccesses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Dimensions
    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess, Operation
    from ..block_execution.access_events import Conflicts
    from ..block_execution.block_program import BlockProgram
    from ..block_execution.comparison_effort import Effort
    from ..block_execution.run_context import AccessEvent
    from ..block_execution.thread_vectors import Threads
    from .tracked_accesses import Tracked

_KEPT = 200  # visits that are remembered across a call which was not read
_READ_AND_WRITTEN = {AccessKind.LOAD, AccessKind.STORE}


class BlockConflicts:
    """Watches the run of one block for pairs of accesses that nothing orders; `settle` after its
    end.
    """

    def __init__(
        self,
        program: BlockProgram,
        tracked: Tracked,
        effort: Effort,
        only: tuple[MemoryAccess, MemoryAccess] | None = None,
        block: Dimensions | None = None,
    ) -> None:
        self._block = block  # blockIdx, where it is not the first block that runs
        self._program = program
        self._tracked = tracked
        self._only = only  # the one pair that is looked for
        self._count = tracked.launch.launch.threads
        self._events: dict[MemoryObject, list[AccessGroup]] = {}  # since the last barrier
        self._in_flight: list[AccessEvent] = []
        self._seen: Counter[tuple[object, ...]] = Counter()
        self._tile_barriers = TileBarriers()
        self._unplaced = UnplacedAccesses(program, tracked, self._tile_barriers)
        self._time = 0
        self._released = 0  # when the block last gave a place of a pipeline free
        self._calls: list[tuple[int, Operation]] = []  # that were not read, and when they came
        self._effort = effort
        self._places: dict[tuple[object, ...], Places] = {}
        self._ordered: set[tuple[object, ...]] = set()  # visits of which no two threads may meet
        self._absorbing = AbsorbingStores(program.flow)
        self._ranked = RankedStores(self._count)
        self.found: Conflicts = {}
        self.equal: Conflicts = {}  # same value written
        self.harmless: set[tuple[MemoryAccess, MemoryAccess]] = set()  # a store changes nothing
        self.not_known: dict[MemoryAccess, int] = {}  # how many threads come there
        self.executed: set[MemoryAccess] = set()
        self.iterations: dict[MemoryAccess, tuple[int, ...]] = {}  # the last of each loop around it
        self.leaving: dict[MemoryAccess, int] = {}  # who goes beyond an object: its first thread
        self.outside: dict[MemoryAccess, Outside] = {}  # and this thread surely did, the farthest

    # ---- the observer ----------------------------------------------------------------------------

    def access(self, event: AccessEvent) -> None:
        """Notes who touches what until the next barrier."""
        access = event.access
        if access not in self._tracked.accesses or not (self._only is None or access in self._only):
            return
        known = self.iterations.get(access)
        if known != event.iterations:
            latest = event.iterations if known is None else tuple(map(max, known, event.iterations))
            self.iterations[access] = latest
        if event.addresses is None or not event.width:
            threads = max(size(event.must | event.may), self.not_known.get(access, 0))
            self.not_known[access] = threads
            self._time += 1
            if self._unplaced.note(event, self._time):
                self.executed.add(access)
            return
        self.executed.add(access)
        self._time += 1
        if access.kind is AccessKind.ASYNC_COPY:
            self._in_flight.append(event)
        key = (access, event.addresses, event.must, event.may)
        self._seen[key] += 1
        if self._seen[key] <= REPEATS:
            self._note(self._ranked.chosen(event))

    def block_barrier(self, barrier: Operation) -> None:
        """What was before is ordered, but for copies in flight."""
        self.settle()
        if not isinstance(barrier, Barrier) or barrier.kind not in WHOLE:
            self._in_flight.clear()  # it may have waited for the copies too
        self._note_in_flight()

    def unread_call(self, call: Operation) -> None:
        """What was before may be ordered, copies in flight as well."""
        self._in_flight.clear()
        if sum(map(len, self._events.values())) >= _KEPT:
            self.settle()
            return
        self._time += 1
        self._calls.append((self._time, call))
        self._seen.clear()

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """The warps with these threads have exchanged what they did."""
        self._time += 1
        lanes = (operation.lanes if isinstance(operation, Barrier) else None) or WARP
        self._tile_barriers.add(lanes, numbers(threads, self._count), self._time)
        self._seen.clear()

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """A wait for copies ends them all; that of a block's pipeline waits for threads, too: for a
        place in it until all have released it, so not for what they did behind that.
        """
        if not isinstance(operation, CopyBarrier):
            return
        if operation.step is CopyStep.RELEASE:
            self._time += 1
            self._released = self._time
        if not operation.wait:
            return  # a commit only closes a group
        acquires = operation.step is CopyStep.ACQUIRE
        if not acquires:
            self._in_flight.clear()
        if operation.joint:
            self.settle(behind=self._released if acquires and not often else None)
            self._note_in_flight()

    def _note_in_flight(self) -> None:
        """Copies that nothing has waited for go on behind a barrier."""
        for event in self._in_flight:
            self._note(event)

    # ---- comparison ------------------------------------------------------------------------------

    def _note(self, event: AccessEvent) -> None:
        """The threads of a visit, those that are sure to come apart from the others."""
        for threads, must in ((event.must, True), (event.may, False)):
            if not threads:
                continue
            reached = active(event.addresses, threads, self._count)
            addresses = [address for address in reached if address is not None]
            least = min(addresses, default=None)
            place = None if least is None else self._program.object_at(least)
            if least is None or place is None:
                continue
            item, low = place
            most = max(addresses)
            high = most - least + low + (event.width or 1)
            if self._is_in_another(item, most, event.access):
                self._note_apart(event, threads, must=must)
                continue
            places = size(threads) * ((event.width or 1) // self._tracked.unit + 1)
            group = AccessGroup(event, threads, must, low, high, self._time, places)
            if item.size is not None and (low < 0 or high > item.size):
                self._leave(item, item.size, group)
            self._events.setdefault(item, []).append(group)

    def _is_in_another(self, item: MemoryObject, address: int, access: MemoryAccess) -> bool:
        """Whether an address is nearest to another object, and may lead there."""
        place = self._program.object_at(address)
        if place is None or place[0] is item:
            return False
        return self._program.pointee(access.address) is None

    def _note_apart(self, event: AccessEvent, threads: Threads, *, must: bool) -> None:
        """Threads whose pointers lead to several objects, `t < 32 ? a + t : b`: each to its own."""
        parts: dict[MemoryObject, Threads] = {}
        for thread in numbers(threads, self._count):
            address = entry_of(thread, event.addresses)
            place = None if address is None else self._program.object_at(address)
            if place is not None:
                parts[place[0]] = parts.get(place[0], 0) | 1 << 8 * thread
        for part in parts.values():
            kept = (part, 0) if must else (0, part)
            self._note(replace(event, must=kept[0], may=kept[1]))

    def _leave(self, item: MemoryObject, length: int, group: AccessGroup) -> None:
        """Keeps the first thread that leaves an array, and the one that goes farthest from it."""
        access, start = group.event.access, self._program.address(item)
        threads = numbers(group.threads, self._count)
        reached = active(group.event.addresses, group.threads, self._count)
        places = [(a - start, t) for a, t in zip(reached, threads, strict=True) if a is not None]
        last = length - (group.event.width or 1)
        first = next(thread for offset, thread in places if not 0 <= offset <= last)
        self.leaving[access] = min(first, self.leaving.get(access, first))
        offset, thread = max(places, key=lambda place: max(place[0] - last, -place[0]))
        touch = ThreadAccess(group.event, thread, group.must, self._block)
        found, known = Outside(touch, item, offset), self.outside.get(access)
        if group.must and (known is None or known.distance < found.distance):
            self.outside[access] = found

    def settle(self, *, behind: int | None = None) -> None:
        """Compares what was noted since the last barrier, and forgets it but for what came `behind`
        a time.
        """
        for item, groups in self._events.items():
            writers: list[AccessGroup] = []
            before: list[AccessGroup] = []
            for second in groups:
                writes = second.event.access.writes
                before.append(second)
                writers += [second] if writes else []
                self._compare_all(item, before if writes else writers, second)
        self._unplaced.settle(self._events, self._report)
        self._seen.clear()
        late = {} if behind is None else self._behind(behind)
        self._events.clear()
        self._events.update(late)
        if not late:
            self._tile_barriers.clear()
            self._calls.clear()

    def _behind(self, time: int) -> dict[MemoryObject, list[AccessGroup]]:
        """What was noted after a time."""
        events = self._events.items()
        late = ((item, [each for each in groups if each.time > time]) for item, groups in events)
        return {item: groups for item, groups in late if groups}

    def _compare_all(
        self, item: MemoryObject, before: list[AccessGroup], second: AccessGroup
    ) -> None:
        """A visit and those before it that reach into the same part of an object."""
        if self._effort.checks <= 0:
            return
        self._effort.checks -= len(before)
        low, high = second.low, second.high
        for first in before:
            if first.high > low and high > first.low:
                self._compare(item, first, second)

    def _compare(self, item: MemoryObject, first: AccessGroup, second: AccessGroup) -> None:
        one, other = first.event.access, second.event.access
        if not self._tracked.may_conflict(one, other):
            return
        known = self.found.get((one, other))
        called = bool(self._calls_between(first.time, second.time))
        best = (called, False, False, not (first.must and second.must))
        if known is not None and known.rank <= best:
            return
        if self._effort.made >= self._effort.comparisons:
            return
        if first.most + second.most > PLACES * (self._effort.comparisons - self._effort.made):
            self._effort.made = self._effort.comparisons
            return
        self._meet(item, first, second, called=called)

    def _meet(
        self, item: MemoryObject, first: AccessGroup, second: AccessGroup, *, called: bool
    ) -> None:
        """The best example among the places that both touch."""
        ours, theirs = self._places_of(first), self._places_of(second)
        self._effort.made += max((len(ours) + len(theirs)) // PLACES, 1)
        key = (first.event.access, second.event.access)
        both, some = first.must and second.must, first.must or second.must
        in_warp = (called, True, not some, not both)
        met = self._tile_barriers.between(first.time, second.time)
        in_step = are_in_step(*key)
        compared = (ours, theirs, in_step, *met.items())
        if compared in self._ordered:
            return
        tried, warps = self._effort.tried, met.get(WARP, frozenset())
        known = self.found.get(key)
        will_do = known is not None and known.rank <= in_warp
        for place in ours.shared_with(theirs):
            low, high = ours.first[place], ours.last[place]
            least, last = theirs.first[place], theirs.last[place]
            warp = low // WARP
            alone = warp == high // WARP == least // WARP == last // WARP
            if alone and (will_do or warp in warps):
                continue  # all of them have met, or there is an example already
            for one, other in product((low, high), (least, last)):
                if one == other or self._effort.tried >= self._effort.candidates:
                    continue
                if one // WARP == other // WARP and (will_do or in_step or in_one(met, one, other)):
                    continue  # of two lanes of one warp the first example will do
                self._effort.tried += 1
                ranked = self._report(
                    item,
                    ThreadAccess(first.event, one, first.must, self._block),
                    ThreadAccess(second.event, other, second.must, self._block),
                    (first.time, second.time),
                )
                if ranked:
                    return
                known = self.found.get(key)
                will_do = known is not None and known.rank <= in_warp
        if tried == self._effort.tried and not will_do:
            self._ordered.add(compared)

    def _places_of(self, group: AccessGroup) -> Places:
        """For each place of a visit the first and the last thread that touch it."""
        if group.places is None:
            group.places = self._looked_up(group)
        return group.places

    def _looked_up(self, group: AccessGroup) -> Places:
        """The same, one object for visits that touch the same."""
        event = group.event
        unit, width = self._tracked.unit, event.width or 1
        key = (event.addresses, group.threads, event.lines or width)
        known = self._places.get(key)
        if known is not None:
            return known
        lines = event.lines or Lines(1, width, 0)
        flagged = numbers(group.threads, self._count)
        addresses = active(event.addresses, group.threads, self._count)
        if event.lines is not None:  # any lane of a warp may be at any element
            flagged, addresses = ends_of_warps(flagged, addresses)
        reached = touched(flagged, addresses, lines, unit)
        first, last = dict(reversed(reached)), dict(reached)
        found = self._places[key] = Places(first, last, len(first) == len(reached))
        return found

    def _calls_between(self, first: int, second: int) -> tuple[Operation, ...]:
        """The calls that were not read, and that the block came to between two times."""
        return tuple([call for time, call in self._calls if first < time < second])

    def _report(
        self,
        item: MemoryObject,
        first: ThreadAccess,
        second: ThreadAccess,
        times: tuple[int, int],
    ) -> bool:
        """Keeps a conflict if it is the best so far; whether none can be better."""
        key = (first.access, second.access)
        called = self._calls_between(*times)
        one, other = first.address, second.address
        start = max(one, other)
        end = min(one + (first.event.width or 1), other + (second.event.width or 1))
        offset = start - self._program.address(item)
        if end <= start or offset < 0 or (item.size is not None and offset >= item.size):
            return False
        if not (self._tracked.reaches(key[0], item) and self._tracked.reaches(key[1], item)):
            return False  # a number that was put in leads far beyond its own object
        writes = key[0].writes and key[1].writes
        if writes and stores_alike(self._tracked, first, second, self._since_barrier):
            if key not in self.equal:
                self.equal[key] = Conflict(first, second, item, offset, called)
            return False
        conflict = Conflict(first, second, item, offset, called)
        events = (group.event for group in self._events.get(item, ()))
        if self._stored_itself(item, first, second) or changes_nothing(first, second, events):
            return False
        if self._leaves_as_is(item, first, second):
            self.harmless.add(key)
            return False
        known = self.found.get(key)
        self._effort.made += CONFLICT if known is None else 0
        if known is None or conflict.rank < known.rank:
            self.found[key] = conflict
        return not conflict.same_warp

    def _since_barrier(self) -> Iterator[AccessEvent]:
        """All there was since the last barrier; nothing where some may have written anywhere."""
        known = not any(access.writes for access in self.not_known)
        return (group.event for groups in self._events.values() for group in groups if known)

    @property
    def cut_short(self) -> bool:
        """Whether something was not looked at."""
        return self._effort.used_up

    @property
    def meeting(self) -> set[tuple[MemoryAccess, MemoryAccess]]:
        """The pairs that nothing orders, those included that do no harm."""
        return self.found.keys() | self.harmless

    def _leaves_as_is(self, item: MemoryObject, first: ThreadAccess, second: ThreadAccess) -> bool:
        """Whether who reads finds the same before and after the store."""
        if {first.access.kind, second.access.kind} != _READ_AND_WRITTEN:
            return False
        store = first if first.access.kind is AccessKind.STORE else second
        if flags(store.event.unchanged, self._count)[store.thread]:
            return True
        events = (group.event for group in self._events.get(item, ()))
        return self._absorbing.keep(store, events)

    def _stored_itself(self, item: MemoryObject, first: ThreadAccess, second: ThreadAccess) -> bool:
        """Whether a thread has stored the same there itself, or will, as far as that decides.

        Who reads finds what it has stored; who stores first stores over it like the second one,
        which nobody sees who does not read meanwhile.
        """
        if first.access.kind is not AccessKind.STORE:
            return False
        if second.access.kind is AccessKind.STORE:
            if self._is_read(item, first.address) or not self._comes_too(second, first.thread):
                return False
            first, second = second, first
        elif second.access.kind is not AccessKind.LOAD or not self._comes_too(first, second.thread):
            return False
        own = own_store(first, second, self._count)
        return own is not None and stores_alike(self._tracked, first, own)

    def _comes_too(self, store: ThreadAccess, thread: int) -> bool:
        """Whether a thread comes to a store for sure if another one does."""
        must = flags(store.event.must, self._count)[thread]
        return bool(must) or not self._tracked.parts_threads(store.access)

    def _is_read(self, item: MemoryObject, address: int) -> bool:
        """Whether a thread reads at an address between the two barriers."""
        place = address // self._tracked.unit
        groups = self._events.get(item, ())
        return any(
            group.event.access.reads and place in self._places_of(group).first for group in groups
        )
