"""Data that one block writes for another, and the flag that says so, with no fence between.

In: a kernel's facts. Out: four forms of it. The last block: data, then an atomic count, and who
counts last reads the data of all. The lock: data written while it is held, and its release, or the
taking of it and the data. The flag: data, then the flag that another block waits for in a loop, and
reads the data behind it.

Follows the CUDA C++ Programming Guide, "Memory Fence Functions", whose example is the last block,
and the PTX ISA, "Memory Consistency Model". A fence counts when it stands on any way between the
data and the flag, whoever executes it, as does code that was not read, a barrier of the grid, and a
release by the flag itself; what is reported has none at all. A fence of the block is enough where
only threads of one block meet (`scopes.py`). Not handled: the fence behind a wait for a flag; data
and flag that are behind one unknown pointer.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.operations import AccessKind, Branch, MemoryAccess
from ..ir.values import Special, SpecialRegister, whole_number
from ..source.records import dataclass
from .array_starts import array_start
from .between import between
from .block_program import computed_from
from .locks import locks
from .scopes import ACQUIRING, RELEASING, has_one_block, has_one_thread, meet_in_block, orders
from .value_names import alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ir.block import Block
    from ..ir.memory import MemoryObject
    from ..ir.values import Value
    from .facts import KernelFacts
    from .locks import Lock
    from .spins import Spin

_COUNTING = frozenset({"add", "inc", "dec", "sub"})
_KEEPING_WITH_ZERO = frozenset({"add", "sub", "or", "xor"})
_BLOCK = (Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z)


class PublicationKind(Enum):
    """Who reads the data, and how it knows that it may."""

    LAST_BLOCK = "last-block"
    LOCK = "lock"
    TAKEN_LOCK = "taken-lock"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Unfenced:
    """The access to the data, the one that publishes it, and one that comes to the data then.

    Of a lock that is taken, `flag` is what takes it, and comes first.
    """

    kind: PublicationKind
    data: MemoryAccess
    flag: MemoryAccess
    reader: MemoryAccess
    item: MemoryObject


def unfenced_publications(facts: KernelFacts) -> tuple[Unfenced, ...]:
    """At most one for each flag, in program order; of a lock's two ends the release comes first."""
    found: list[Unfenced] = []
    for flag in facts.accesses:
        if not _is_global(facts, flag) or not flag.writes or _only_reads(flag):
            continue
        if any(word in flag.name for word in RELEASING):
            continue
        unfenced = _last_block(facts, flag) or _lock(facts, flag) or _flag(facts, flag)
        found += [] if unfenced is None else [unfenced]
    known = {facts.points_to.object_of(each.flag) for each in found}
    for lock in locks(facts):
        taken = _taken(facts, lock) if lock.item not in known else None
        found += [] if taken is None else [taken]
    return tuple(found)


def _only_reads(access: MemoryAccess) -> bool:
    """Whether an atomic operation changes nothing: `atomicAdd(flag, 0)` is a load."""
    return access.atomic in _KEEPING_WITH_ZERO and whole_number(access.operands[-1]) == 0


def _is_global(facts: KernelFacts, access: MemoryAccess) -> bool:
    return facts.points_to.space_of(access) is Space.GLOBAL


def _unfenced_data(
    facts: KernelFacts, flag: MemoryAccess, *, in_block: bool = False
) -> Iterator[tuple[MemoryAccess, MemoryObject]]:
    """The stores to other objects that come before a flag with no fence between."""
    for data, item in _data(facts, flag):
        way = between(data, flag) if data.writes else None
        if way is not None and not any(orders(e, RELEASING, in_block=in_block) for e in way):
            yield data, item


def _data(facts: KernelFacts, flag: MemoryAccess) -> Iterator[tuple[MemoryAccess, MemoryObject]]:
    """The loads and stores of other objects than the flag's."""
    own = facts.points_to.object_of(flag)
    for data in facts.accesses:
        if data.kind not in (AccessKind.LOAD, AccessKind.STORE) or not _is_global(facts, data):
            continue
        item = facts.points_to.object_of(data)
        if item is not None and own is not None and item is not own and not data.scope:
            yield data, item


# ---- the last block ------------------------------------------------------------------------------


def _last_block(facts: KernelFacts, flag: MemoryAccess) -> Unfenced | None:
    """Who finds by its count that all others have counted reads what they wrote."""
    if flag.kind is not AccessKind.ATOMIC or flag.atomic not in _COUNTING:
        return None
    behind = _decided_by(facts, flag)
    if not behind:
        return None
    for data, item in _unfenced_data(facts, flag):
        for reader in facts.accesses:
            if reader.kind is not AccessKind.LOAD or reader.block not in behind:
                continue
            if facts.points_to.object_of(reader) is item and _is_of_others(data, reader):
                return Unfenced(PublicationKind.LAST_BLOCK, data, flag, reader, item)
    return None


def _decided_by(facts: KernelFacts, flag: MemoryAccess) -> set[Block]:
    """The blocks that run by a comparison of the count, itself or kept in shared memory."""
    counts: set[Value] = {flag}
    kept: set[MemoryObject | None] = set()
    for access in facts.accesses:
        stored = access.operands[-1] if access.kind is AccessKind.STORE else None
        shared = facts.points_to.space_of(access) is Space.SHARED
        if stored is not None and shared and flag in computed_from(stored):
            kept.add(facts.points_to.object_of(access))
    for access in facts.accesses:
        if access.kind is AccessKind.LOAD and facts.points_to.object_of(access) in kept - {None}:
            counts.add(access)
    deciding = {
        block
        for block in facts.kernel.blocks
        if isinstance(block.terminator, Branch)
        and not counts.isdisjoint(computed_from(block.terminator.condition))
    }
    return {
        block
        for block in (facts.kernel.blocks if deciding else ())
        if any(edge.branch in deciding for edge in facts.flow.controlling_edges(block))
    }


def _is_of_others(data: MemoryAccess, reader: MemoryAccess) -> bool:
    """Whether each block writes a place of its own, and the reader goes over those of all."""
    own = set(_blocks_in(data.address))
    return bool(own - set(_blocks_in(reader.address)))


def _blocks_in(address: Value) -> Iterator[Special]:
    for each in computed_from(address):
        if isinstance(each, SpecialRegister) and each.register in _BLOCK:
            yield each.register


# ---- locks and flags -----------------------------------------------------------------------------


def _lock(facts: KernelFacts, flag: MemoryAccess) -> Unfenced | None:
    """A lock is given back while what it guards may not be seen yet."""
    if flag.atomic == "cas" or flag.kind not in (AccessKind.STORE, AccessKind.ATOMIC):
        return None
    own = facts.points_to.object_of(flag)
    for lock in locks(facts):
        behind = flag.block in lock.held and between(lock.read, flag) is not None
        if lock.item is not own or not behind or has_one_thread(facts):
            continue
        for data, item in _unfenced_data(facts, flag, in_block=_holds_in_block(facts, lock)):
            held = data.block in lock.held and between(lock.read, data) is not None
            reader = _next(facts, item, lock.read) if held else None
            if reader is not None and not _is_own(data):
                return Unfenced(PublicationKind.LOCK, data, flag, reader, item)
    return None


def _taken(facts: KernelFacts, lock: Lock) -> Unfenced | None:
    """What a lock guards may come before it is taken, and miss what the last owner left."""
    read = lock.read
    if has_one_thread(facts) or any(word in read.name for word in ACQUIRING):
        return None
    releases = [
        each
        for each in facts.accesses
        if each.writes and each is not read and facts.points_to.object_of(each) is lock.item
    ]
    in_block = _holds_in_block(facts, lock)
    for data, item in _data(facts, read):
        way = between(read, data)
        if way is None or data.block not in lock.held or _is_own(data):
            continue
        if any(orders(each, ACQUIRING, in_block=in_block) or each in releases for each in way):
            continue
        release = next((each for each in releases if between(data, each) is not None), None)
        writer = _next(facts, item, read, writes=True)
        if release is not None and writer is not None and between(writer, release) is not None:
            return Unfenced(PublicationKind.TAKEN_LOCK, data, read, writer, item)
    return None


def _holds_in_block(facts: KernelFacts, lock: Lock) -> bool:
    """Whether a lock can be one for the threads of a block only."""
    return lock.read.scope == "block" or has_one_block(facts)


def _flag(facts: KernelFacts, flag: MemoryAccess) -> Unfenced | None:
    """A flag that another block waits for in a loop."""
    own = facts.points_to.object_of(flag)
    for spin in facts.spins:
        if spin.item is not own or spin.read is flag or not _is_awaited(spin, flag):
            continue
        if len({array_start(each.address, facts.points_to) for each in (flag, spin.read)}) > 1:
            continue  # another member of the same struct
        if any(_blocks_in(flag.address)) and alike(flag.address, spin.read.address):
            continue  # its own block waits for it
        near = "block" in (flag.scope, spin.read.scope) or meet_in_block(facts, flag, spin.read)
        for data, item in _unfenced_data(facts, flag, in_block=near):
            reader = _next(facts, item, spin.read, reads=True)
            if reader is not None and _is_of_another(data, reader):
                return Unfenced(PublicationKind.FLAG, data, flag, reader, item)
    return None


def _is_awaited(spin: Spin, flag: MemoryAccess) -> bool:
    """Whether a thread may wait for what is written here."""
    sets = flag.kind is AccessKind.STORE or flag.atomic == "exch"
    stored = whole_number(flag.operands[-1]) if sets else None
    goes_on = None if stored is None else spin.goes_on_at(stored)
    if goes_on or (goes_on is None and stored == 0):
        return False  # it takes the flag back
    if not spin.swaps:
        return True
    # An exchange that clears the flag looks like one that takes a lock: a lock's owner gives it
    # back, a flag is set by threads that never wait for it.
    apart = between(spin.read, flag) is None and between(flag, spin.read) is None
    return spin.read.atomic == "exch" and apart


def _next(
    facts: KernelFacts,
    item: MemoryObject,
    start: MemoryAccess,
    *,
    reads: bool = False,
    writes: bool = False,
) -> MemoryAccess | None:
    """A load or store of the data behind the wait, or only the one or the other."""
    for access in facts.accesses:
        if access.kind not in (AccessKind.LOAD, AccessKind.STORE):
            continue
        if (reads and not access.reads) or (writes and not access.writes):
            continue
        if facts.points_to.object_of(access) is item and between(start, access) is not None:
            return access
    return None


def _is_own(data: MemoryAccess) -> bool:
    """Whether each thread or block writes a place of its own, which needs no lock."""
    return any(isinstance(each, SpecialRegister) for each in computed_from(data.address))


def _is_of_another(data: MemoryAccess, reader: MemoryAccess) -> bool:
    """Whether it reads anything but a place that it has written itself."""
    return data.address is not reader.address or not _is_own(data)
