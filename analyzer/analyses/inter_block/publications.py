"""Data that one block writes for another, and the flag that says so, with no fence between.

In: a kernel's facts. Out: five forms of it. The last block: data, then an atomic count, and who
counts last reads the data of all. The lock: data written while it is held, and its release, or the
taking of it and the data. The flag: data, then the flag that another block waits for in a loop, and
reads the data behind it. And the wait for a flag, and a plain load of the data by the same thread.

Follows the CUDA C++ Programming Guide, "Memory Fence Functions", whose example is the last block,
and the PTX ISA, "Memory Consistency Model". A fence counts when it stands on any way between the
data and the flag, whoever executes it, as does code that was not read, a barrier of the grid, and a
release by the flag itself; what is reported has none at all. A fence of the block is enough where
only threads of one block meet (`scopes.py`). A flag and its data may be members of one struct, at
distances from its start that are known. Not handled: a fence behind a wait where the block meets
before it loads, as grids do that wait for each other; data that a lock or a count beside it guards,
or that stands in an array of one pointer with its flag.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import ACQUIRING, RELEASING, AccessForm, MemoryOrder
from ...ir.operations import AccessKind, Barrier, MemoryAccess, Operation
from ...ir.values import whole_number
from ...source.records import dataclass
from ..block_execution.array_starts import are_neighbours, array_start
from ..block_execution.launch_values import BLOCK_INDEX
from ..dataflow.paths import Waypoints, are_apart, can_reach
from ..dataflow.slices import backward_slice, registers_in
from ..dataflow.value_numbering import ValueNumbering, alike
from ..pointers.counted_blocks import decided_by_count, is_count
from ..pointers.memory_model import only_reads
from ..pointers.provenance import reads_memory
from .locks import locks
from .scopes import has_one_block, has_one_thread, meet_in_block, orders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from .facts import OrderFacts
    from .locks import Lock
    from .spins import Spin

    _Data = tuple[MemoryAccess, MemoryObject]
    _Wanted = tuple[MemoryObject, MemoryAccess, frozenset[AccessKind]]

_MOVES = frozenset({AccessKind.LOAD, AccessKind.STORE})
_LOADS, _STORES = frozenset({AccessKind.LOAD}), frozenset({AccessKind.STORE})
_BLOCK = set(BLOCK_INDEX)


class PublicationKind(Enum):
    """How a block that reads another one's data knows that it may: as the last block, by a lock or
    a flag.
    """

    LAST_BLOCK = "last-block"
    LOCK = "lock"
    TAKEN_LOCK = "taken-lock"
    FLAG = "flag"
    AWAITED_FLAG = "awaited-flag"


@dataclass(frozen=True, slots=True)
class Unfenced:
    """Data for another block with no fence before its flag: the access to it, the one that
    publishes it, and one that comes to the data then.

    Of a lock that is taken, `flag` is what takes it, and comes first; of a flag that is waited for,
    it is the wait, and `reader` is what wrote the data.
    """

    kind: PublicationKind
    data: MemoryAccess
    flag: MemoryAccess
    reader: MemoryAccess
    item: MemoryObject


def unfenced_publications(facts: OrderFacts) -> tuple[Unfenced, ...]:
    """The flags that publish data for other blocks without a fence, each once, in program order; of
    a lock's two ends the release comes first.
    """
    return tuple(_Publications(facts).find())


class _Publications:
    """What is asked of one kernel for each of its flags, found once."""

    def __init__(self, facts: OrderFacts) -> None:
        self._facts = facts
        self._locks = tuple(locks(facts))
        self._moved: dict[MemoryObject, list[MemoryAccess]] = {}  # loads and stores, by object
        self._data: list[_Data] = []  # those that may be data for other blocks
        for access in facts.accesses:
            item = facts.points_to.object_of(access) if access.kind in _MOVES else None
            if item is not None:
                self._moved.setdefault(item, []).append(access)
                if not access.scope and self._is_global(access):
                    self._data.append((access, item))
        self._ways: dict[tuple[frozenset[MemoryOrder], bool], Waypoints] = {}
        self._unfenced: dict[tuple[MemoryAccess, bool], list[_Data]] = {}
        self._behind: dict[_Wanted, MemoryAccess | None] = {}
        self._meeting = Waypoints(facts.flow, _orders_or_meets)
        self._names = ValueNumbering()
        self._writers: dict[MemoryAccess, frozenset[MemoryAccess]] = {}

    def find(self) -> Iterator[Unfenced]:
        """See `unfenced_publications`."""
        facts = self._facts
        known: set[MemoryObject | None] = set()
        for flag in facts.accesses:
            if not flag.writes or only_reads(flag) or not self._is_global(flag):
                continue
            if flag.order in RELEASING:
                continue
            unfenced = self._last_block(flag) or self._lock(flag) or self._flag(flag)
            if unfenced is not None:
                known.add(facts.points_to.object_of(flag))
                yield unfenced
        for lock in self._locks:
            taken = self._taken(lock) if lock.item not in known else None
            if taken is not None:
                yield taken
        for spin in facts.spins:
            awaited = self._awaited(spin) if spin.item not in known else None
            if awaited is not None:
                yield awaited

    def _is_global(self, access: MemoryAccess) -> bool:
        return self._facts.points_to.space_of(access) is Space.GLOBAL

    def _past(
        self,
        counting: frozenset[MemoryOrder],
        first: MemoryAccess,
        second: MemoryAccess,
        *,
        in_block: bool,
    ) -> bool | None:
        """Whether something that orders stands between; None where there is no way."""
        key = (counting, in_block)
        if key not in self._ways:
            self._ways[key] = Waypoints(
                self._facts.flow, lambda each: orders(each, counting, in_block=in_block)
            )
        return self._ways[key].passes_through(first, second)

    def _unfenced_data(self, flag: MemoryAccess, *, in_block: bool = False) -> list[_Data]:
        """The stores to other objects that come before a flag with no fence between."""
        key = (flag, in_block)
        if key not in self._unfenced:
            self._unfenced[key] = [
                (data, item)
                for data, item in self._others(flag)
                if data.writes and self._past(RELEASING, data, flag, in_block=in_block) is False
            ]
        return self._unfenced[key]

    def _others(self, flag: MemoryAccess) -> Iterator[_Data]:
        """The loads and stores of other objects than the flag's, in program order."""
        own = self._facts.points_to.object_of(flag)
        for data, item in self._data if own is not None else ():
            if item is not own:
                yield data, item

    # ---- the last block --------------------------------------------------------------------------

    def _last_block(self, flag: MemoryAccess) -> Unfenced | None:
        """Who finds by its count that all others have counted reads what they wrote."""
        written = self._unfenced_data(flag) if is_count(flag) else []
        behind = decided_by_count(self._facts, flag) if written else set()
        for data, item in written if behind else ():
            for reader in self._moved[item]:
                late = reader.kind is AccessKind.LOAD and reader.block in behind
                if late and is_of_others(data, reader):
                    return Unfenced(PublicationKind.LAST_BLOCK, data, flag, reader, item)
        return None

    # ---- locks and flags -------------------------------------------------------------------------

    def _lock(self, flag: MemoryAccess) -> Unfenced | None:
        """A lock is given back while what it guards may not be seen yet."""
        if flag.atomic == "cas" or flag.kind not in (AccessKind.STORE, AccessKind.ATOMIC):
            return None
        facts = self._facts
        own = facts.points_to.object_of(flag)
        for lock in self._locks:
            if lock.item is not own or flag.block not in lock.held or has_one_thread(facts):
                continue
            if not can_reach(facts.flow, lock.read, flag):
                continue
            if flag not in self._set_at(lock.read) and self._set_at(lock.read):
                continue  # another member of what holds the lock
            for data, item in self._unfenced_data(flag, in_block=_holds_in_block(facts, lock)):
                held = data.block in lock.held and can_reach(facts.flow, lock.read, data)
                reader = self._next(item, lock.read, _MOVES) if held else None
                if reader is not None and _is_guarded(data, lock):
                    return Unfenced(PublicationKind.LOCK, data, flag, reader, item)
        return None

    def _taken(self, lock: Lock) -> Unfenced | None:
        """What a lock guards may come before it is taken, and miss what the last owner left."""
        facts, read = self._facts, lock.read
        if has_one_thread(facts) or read.order in ACQUIRING:
            return None
        releases = [
            each
            for each in facts.accesses
            if each.writes and each is not read and facts.points_to.object_of(each) is lock.item
        ]
        in_block = _holds_in_block(facts, lock)
        released = Waypoints(facts.flow, set(releases).__contains__)
        for data, item in self._others(read):
            if data.block not in lock.held or not _is_guarded(data, lock):
                continue
            if self._past(ACQUIRING, read, data, in_block=in_block) is not False:
                continue
            if released.passes_through(read, data):
                continue
            release = next((each for each in releases if can_reach(facts.flow, data, each)), None)
            writer = self._next(item, read, _STORES) if release is not None else None
            if (
                release is not None
                and writer is not None
                and can_reach(facts.flow, writer, release)
            ):
                return Unfenced(PublicationKind.TAKEN_LOCK, data, read, writer, item)
        return None

    def _flag(self, flag: MemoryAccess) -> Unfenced | None:
        """A flag that another block waits for in a loop."""
        facts = self._facts
        for spin in facts.spins:
            if not self._is_flag_of(spin, flag):
                continue
            near = "block" in (flag.scope, spin.read.scope) or meet_in_block(facts, flag, spin.read)
            for data, item in self._unfenced_data(flag, in_block=near):
                reader = self._next(item, spin.read, _LOADS)
                if reader is not None and _is_of_another(data, reader):
                    return Unfenced(PublicationKind.FLAG, data, flag, reader, item)
            for data in self._unfenced_members(flag, spin.item, in_block=near):
                member = self._member_read(data, spin)
                if member is not None and _is_of_another(data, member):
                    return Unfenced(PublicationKind.FLAG, data, flag, member, spin.item)
        return None

    def _is_flag_of(self, spin: Spin, flag: MemoryAccess) -> bool:
        """Whether what is written to a flag ends the wait of another block."""
        facts = self._facts
        own = facts.points_to.object_of(flag)
        if spin.item is not own or spin.read is flag or not is_awaited(facts, spin, flag):
            return False
        if flag not in self._set_at(spin.read) and self._set_at(spin.read):
            return False  # another element, as counts may stand beside the flag
        starts = {array_start(each.address, facts.points_to) for each in (flag, spin.read)}
        if len(starts) > 1 and not are_neighbours(flag.address, spin.read.address):
            return False  # another member of the same struct
        if _BLOCK & registers_in(flag.address) and alike(flag.address, spin.read.address):
            return False  # its own block waits for it
        return not self._is_answered(spin)

    def _awaited(self, spin: Spin) -> Unfenced | None:
        """A thread that has waited for a flag loads the data at once, with no fence."""
        facts, wait = self._facts, spin.read
        if spin.swaps or wait.order in ACQUIRING or has_one_block(facts):
            return None
        flags = [
            each
            for each in facts.accesses
            if each.writes and not only_reads(each) and self._is_flag_of(spin, each)
        ]
        for data, item in self._others(wait) if flags else ():
            if not _may_be_early(data) or data.block in spin.loop.blocks:
                continue
            if wait in backward_slice(data.address) or not can_reach(facts.flow, wait, data):
                continue
            if self._meeting.passes_through(wait, data) is not False:
                continue
            for flag in flags:
                stored = self._stored_before(item, flag)
                near = stored is not None and meet_in_block(facts, flag, wait)
                if stored is not None and not near and _is_of_another(stored, data):
                    return Unfenced(PublicationKind.AWAITED_FLAG, data, wait, stored, item)
        return None

    def _stored_before(self, item: MemoryObject, flag: MemoryAccess) -> MemoryAccess | None:
        """The last store to the data before a flag with a fence between."""
        for data in reversed(self._moved.get(item, ())):
            if data.writes and self._past(RELEASING, data, flag, in_block=False):
                return data
        return None

    def _unfenced_members(
        self, flag: MemoryAccess, item: MemoryObject, *, in_block: bool
    ) -> Iterator[MemoryAccess]:
        """The stores to other members of a flag's struct before it, with no fence between."""
        start = self._start(flag)
        for data, there in self._data if start is not None else ():
            apart = there is item and data.writes and self._start(data) not in (None, start)
            if apart and self._past(RELEASING, data, flag, in_block=in_block) is False:
                yield data

    def _member_read(self, data: MemoryAccess, spin: Spin) -> MemoryAccess | None:
        """The first load of a member behind the wait for another one."""
        for each in self._moved.get(spin.item, ()):
            same = each.kind is AccessKind.LOAD and self._start(each) == self._start(data)
            if same and can_reach(self._facts.flow, spin.read, each):
                return each
        return None

    def _start(self, access: MemoryAccess) -> int | None:
        return array_start(access.address, self._facts.points_to)

    def _is_answered(self, spin: Spin) -> bool:
        """Whether all that the kernel writes where a loop waits for a number comes behind that very
        wait, and may be another number: what ends the wait is the host, or another kernel.
        """
        flow, sets = self._facts.flow, self._set_at(spin.read)
        waits_for_number = spin.goes_on_at(0) is not None and not spin.swaps
        header = spin.loop.header.index
        return (
            bool(sets)
            and waits_for_number
            and all(
                each.kind is AccessKind.STORE
                and whole_number(each.operands[-1]) is None
                and flow.dominators.dominates(header, each.block.index)
                for each in sets
            )
        )

    def _set_at(self, read: MemoryAccess) -> frozenset[MemoryAccess]:
        """What writes at the very place that a loop waits for or a lock is taken at."""
        if read not in self._writers:
            name = self._names.of(read.address)
            self._writers[read] = frozenset(
                each
                for each in self._facts.accesses
                if each.writes and each is not read and self._names.of(each.address) == name
            )
        return self._writers[read]

    def _next(
        self, item: MemoryObject, start: MemoryAccess, kinds: frozenset[AccessKind]
    ) -> MemoryAccess | None:
        """The first access of some kinds to the data behind the wait."""
        key = (item, start, kinds)
        if key not in self._behind:
            ahead = (
                each
                for each in self._moved.get(item, ())
                if each.kind in kinds and can_reach(self._facts.flow, start, each)
            )
            self._behind[key] = next(ahead, None)
        return self._behind[key]


def is_awaited(facts: OrderFacts, spin: Spin, flag: MemoryAccess) -> bool:
    """Whether a thread that spins may wait for what is written to a flag."""
    stored = None if flag.atomic == "cas" else whole_number(flag.stored)
    goes_on = None if stored is None else spin.goes_on_at(stored)
    if goes_on or (goes_on is None and stored == 0):
        return False  # it takes the flag back
    if not spin.swaps:
        return True
    # An exchange that clears the flag looks like one that takes a lock: a lock's owner gives it
    # back, a flag is set by threads that never wait for it.
    return spin.read.atomic == "exch" and are_apart(facts.flow, spin.read, flag)


def _orders_or_meets(operation: Operation) -> bool:
    """Whether something orders what comes behind it, or other threads of the block are met."""
    met = isinstance(operation, Barrier) and operation.wait
    return met or orders(operation, ACQUIRING, in_block=False)


def _may_be_early(load: MemoryAccess) -> bool:
    """Whether a load may be made before one that comes earlier, or find what a cache kept."""
    plain = load.kind is AccessKind.LOAD and load.form is not AccessForm.CACHED
    return plain and not (load.volatile or load.scope or load.from_inline_asm)


def _holds_in_block(facts: OrderFacts, lock: Lock) -> bool:
    """Whether a lock can be one for the threads of a block only."""
    return lock.read.scope == "block" or has_one_block(facts)


def _is_own(data: MemoryAccess) -> bool:
    """Whether each thread or block writes a place of its own, which needs no lock."""
    return bool(registers_in(data.address))


def _is_guarded(data: MemoryAccess, lock: Lock) -> bool:
    """Whether several threads come to the data that a lock guards, one lock for all or one for each
    place: `locks[c]` and `cells[c]`, with `c` from memory, or a lock that holds for a block.
    """
    if not _is_own(data):
        return True
    places = (data.address, lock.read.address)
    if not all(map(reads_memory, places)) and lock.read.scope != "block":
        return False
    own, locks = map(registers_in, places)
    return reads_memory(places[0]) is reads_memory(places[1]) and own <= locks


def _is_of_another(data: MemoryAccess, reader: MemoryAccess) -> bool:
    """Whether it reads anything but a place that it has written itself."""
    return data.address is not reader.address or not _is_own(data)


def is_of_others(data: MemoryAccess, reader: MemoryAccess) -> bool:
    """Whether each block writes its data to a place of its own, and the reader goes over those of
    all blocks.
    """
    return bool(_BLOCK & registers_in(data.address) - registers_in(reader.address))
