"""Accesses whose place in their object is not known: they may come to where another thread goes.

In: the visits of a run between two barriers. Out: for each pair of accesses that conflict, one of
them at least at a place that is not known, two threads: of different warps where there are such,
else lanes of one that have not met in between. Atomic operations at an
index that is data go to bins, where all threads come; any other index may give each thread an
element of its own, which is a doubt (`Tracked.are_led`). Not compared: accesses at an index that
counts the thread's own, what is computed alike for both accesses, and updates at such an index,
which `races/scattered_updates.py` judges.
Also in: the visit of a store at the rank of a lane among those that vote. Out: the same with data
chosen so that of each warp only the last lane that comes there has voted: it stores where the first
one would. A warp closes the gaps in what it keeps like that (Harris, Sengupta, Owens: GPU Gems 3,
chapter 39); each lane has a place of its own, but another one than it has elsewhere. All such
stores are seen with the same choice, so that no two of them are set against each other. Where the
first lane's place is not known, as in later iterations, nothing is chosen.
Not handled: ranks among equal keys (`__match_any_sync`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function, WarpKind
from ...ir.operations import AccessKind, Opcode, Operation, Pure, WarpOperation, unconverted
from ...ir.types import Kind
from ...ir.values import whole_number
from ..block_execution.access_events import ThreadAccess
from ..block_execution.array_starts import begin_alike
from ..block_execution.per_thread import PerThread
from ..block_execution.thread_vectors import active, flags, numbers
from ..dataflow.affine import affine
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import alike
from ..pointers.memory_model import ATOMIC
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..block_execution.block_program import BlockProgram
    from ..block_execution.run_context import AccessEvent
    from ..warp_evaluation.tile_barriers import TileBarriers
    from .access_groups import AccessGroup
    from .tracked_accesses import Tracked

    Report = Callable[[MemoryObject, ThreadAccess, ThreadAccess, tuple[int, int]], bool]

REPEATS = 2  # the second visit may conflict with what came after the first, the third adds nothing
MANY = 2  # elements that are touched, so that data leads to more than a thread's own
MOST = 64  # visits between two barriers


class UnplacedAccesses:
    """The accesses since the last barrier whose place is not known, which may conflict with any
    thread's.
    """

    def __init__(self, program: BlockProgram, tracked: Tracked, barriers: TileBarriers) -> None:
        self._program = program
        self._tracked = tracked
        self._barriers = barriers
        self._count = tracked.launch.launch.threads
        self._noted: dict[MemoryObject, list[tuple[AccessEvent, int]]] = {}  # and when

    def note(self, event: AccessEvent, time: int) -> bool:
        """A visit, if its threads may come to each other's elements."""
        item = self._tracked.object_anywhere(event.access)
        if item is None:
            return False
        noted = self._noted.setdefault(item, [])
        if sum(each.access is event.access for each, _ in noted) >= REPEATS or len(noted) >= MOST:
            return False
        noted.append((event, time))
        self._tracked.unplaced.add(event.access)
        return True

    def settle(self, groups: dict[MemoryObject, list[AccessGroup]], report: Report) -> None:
        """Compares the visits with each other, and with those whose places are known; reports those
        in conflict.
        """
        for item, noted in self._noted.items():
            known = self._spread_out(groups.get(item, ()))
            for place, (event, time) in enumerate(noted):
                reach = reach_of(event.access) if known else None
                for group in known:
                    if reach is None or (group.low < reach[1] and reach[0] < group.high):
                        self._with_known(item, group, event, time, report)
                for later, then in noted[place:]:
                    self._with_unknown(item, (event, time), (later, then), report)
        self._noted.clear()

    def _spread_out(self, groups: Iterable[AccessGroup]) -> list[AccessGroup]:
        """The visits of accesses that come to several elements, in one visit or one by one."""
        groups = tuple(groups)
        places: dict[MemoryAccess, set[int | None]] = {}
        for group in groups:
            met = places.setdefault(group.event.access, set())
            if len(met) < MANY:
                met.update(active(group.event.addresses, group.threads, self._count))
        return [group for group in groups if len(places[group.event.access] - {None}) >= MANY]

    def _with_known(
        self, item: MemoryObject, group: AccessGroup, event: AccessEvent, time: int, report: Report
    ) -> None:
        """A thread at an element of its own, and one of another warp that may be led there."""
        own, led = group.event.access, event.access
        meant = own.scope and own.kind not in ATOMIC  # for others, as a load of an atomic object
        if meant or not self._tracked.may_conflict(own, led) or self._are_apart(item, own, led):
            return
        if led.kind not in ATOMIC and self._met(time, group.time):
            return
        known = numbers(group.threads, self._count)
        addresses = active(group.event.addresses, group.threads, self._count)
        first = next((pair for pair in zip(known, addresses, strict=False) if pair[1]), None)
        if first is None:
            return
        thread, address = first
        other = self._apart(event, thread, time, group.time)
        if other is None:
            return
        touch = ThreadAccess(group.event, thread, group.must)
        led_there = self._led_to(event, other, address)
        if group.time < time:
            report(item, touch, led_there, (group.time, time))
        else:
            report(item, led_there, touch, (time, group.time))

    def _with_unknown(
        self,
        item: MemoryObject,
        first: tuple[AccessEvent, int],
        second: tuple[AccessEvent, int],
        report: Report,
    ) -> None:
        """Two threads that may be led to one element."""
        (one, time), (other, then) = first, second
        led = (one.access, other.access)
        if not self._tracked.may_conflict(*led) or self._met(time, then):
            return
        if self._are_apart(item, *led) or any(map(self._tracked.is_handed_out, led)):
            return  # whoever hands out places, hands out each once
        if not self._tracked.launch.facts.updates.keys().isdisjoint(led):
            return
        if one.access is not other.access and alike(one.access.address, other.access.address):
            return  # each thread comes back to where it was
        thread = next(iter(numbers(one.must | one.may, self._count)), None)
        partner = None if thread is None else self._apart(other, thread, time, then)
        if thread is None or partner is None:
            return
        place = self._program.address(item)
        touches = self._led_to(one, thread, place), self._led_to(other, partner, place)
        report(item, *touches, (time, then))

    def _are_apart(self, item: MemoryObject, one: MemoryAccess, other: MemoryAccess) -> bool:
        """Whether two accesses may be to different arrays that dynamic shared memory holds."""
        launch = self._tracked.launch
        return item.dynamic and not begin_alike(one.address, other.address, launch)

    def _met(self, *times: int) -> bool:
        """Whether threads of a warp have met in between, as lanes that trade elements do."""
        return any(self._barriers.between(*sorted(times)).values())

    def _apart(self, event: AccessEvent, thread: int, *times: int) -> int | None:
        """A thread of a visit that belongs to another warp; else another lane, where the lanes have
        not met between the two times.
        """
        others = numbers(event.must | event.may, self._count)
        apart = next((each for each in others if each // WARP != thread // WARP), None)
        if apart is not None or self._met(*times):
            return apart
        return next((each for each in others if each != thread), None)

    def _led_to(self, event: AccessEvent, thread: int, address: int | None) -> ThreadAccess:
        must = bool(flags(event.must, self._count)[thread])
        return ThreadAccess(replace(event, addresses=address), thread, must)


def reach_of(access: MemoryAccess) -> tuple[int, int] | None:
    """How far an access of unknown place may go in its object, as masks and remainders say; None
    where nothing bounds it.
    """
    form = affine(access.address)
    low = high = form.number
    for value, factor in form.factors.items():
        if value.type.kind is Kind.POINTER:
            continue
        most = _most(value)
        if most is None:
            return None
        low, high = low + min(most * factor, 0), high + max(most * factor, 0)
    return low, high + (access.width or 1)


def _most(value: Value) -> int | None:
    """The most that a whole number can be which is cut to size by a constant, and not negative."""
    value = unconverted(value)
    if not isinstance(value, Operation) or value.opcode not in (Opcode.AND, Opcode.REM):
        return None
    cuts = [number for each in value.operands if (number := whole_number(each)) is not None]
    if not cuts or cuts[0] <= 0 or (value.opcode is Opcode.REM and value.type.signed):
        return None
    return cuts[0] if value.opcode is Opcode.AND else cuts[0] - 1


class RankedStores:
    """The visits of one run in which lanes store at their ranks."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._ranked: dict[MemoryAccess, bool] = {}

    def chosen(self, event: AccessEvent) -> AccessEvent:
        """The visit; that of a store at ranks which are not known, with chosen data."""
        places, access = event.addresses, event.access
        if not isinstance(places, PerThread) or places.known or not self._is_ranked(access):
            return event
        entries, last = places.entries, dict[int, int]()
        for thread in numbers(event.must | event.may, self._count):
            last[thread // WARP] = thread
        moved = {
            thread: entries[warp * WARP]
            for warp, thread in last.items()
            if entries[thread] is None and entries[warp * WARP] is not None
        }
        kept = sum(1 << 8 * thread for thread in moved)
        addresses = PerThread(tuple(map(moved.get, range(self._count))))
        return replace(event, must=event.must & kept, may=event.may & kept, addresses=addresses)

    def _is_ranked(self, access: MemoryAccess) -> bool:
        if access not in self._ranked:
            parts = affine(access.address).factors.items()
            ranks = [factor for value, factor in parts if _is_rank(value)]
            self._ranked[access] = access.kind is AccessKind.STORE and ranks == [access.width]
        return self._ranked[access]


def _is_rank(value: Value) -> bool:
    """Whether a value is a number of bits of a ballot."""
    value = unconverted(value)
    return (
        isinstance(value, Pure)
        and value.function is Function.COUNT_ONES
        and any(
            isinstance(each, WarpOperation) and each.kind is WarpKind.VOTE_BALLOT
            for each in backward_slice(value)
        )
    )
