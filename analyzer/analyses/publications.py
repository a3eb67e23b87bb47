"""Data that one block writes for another, and the flag that says so, with no fence between.

In: a kernel's facts. Out: three forms of it. The last block: data, then an atomic count, and who
counts last reads the data of all. The lock: data written while it is held, and its release. The
flag: data, then the flag that another block waits for in a loop, and reads the data behind it.

Follows the CUDA C++ Programming Guide, "Memory Fence Functions", whose example is the last block,
and the PTX ISA, "Memory Consistency Model". A fence counts when it stands on any way between the
data and the flag, whoever executes it, as does code that was not read, a barrier of the grid, and a
release by the flag itself; what is reported has none at all. Not handled: the reader's own fence;
data and flag that are behind one unknown pointer.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.operations import AccessKind, Barrier, BarrierKind, Branch, Fence, MemoryAccess, Opcode
from ..ir.values import Special, SpecialRegister, whole_number
from ..source.records import dataclass
from .between import between
from .block_program import computed_from
from .spins import spins
from .value_names import alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ir.block import Block
    from ..ir.memory import MemoryObject
    from ..ir.operations import Operation
    from ..ir.values import Value
    from .facts import KernelFacts

_COUNTING = frozenset({"add", "inc", "dec", "sub"})
_RELEASING = ("release", "acq_rel", "seq_cst")
_BLOCK = (Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z)


class PublicationKind(Enum):
    """Who reads the data, and how it knows that it may."""

    LAST_BLOCK = "last-block"
    LOCK = "lock"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Unfenced:
    """The store of the data, the access that publishes it, and one that reads it then."""

    kind: PublicationKind
    data: MemoryAccess
    flag: MemoryAccess
    reader: MemoryAccess
    item: MemoryObject


def unfenced_publications(facts: KernelFacts) -> Iterator[Unfenced]:
    """At most one for each flag, in program order."""
    for flag in facts.accesses:
        if not _is_global(facts, flag) or not flag.writes:
            continue
        if any(word in flag.name for word in _RELEASING):
            continue
        found = _last_block(facts, flag) or _lock(facts, flag) or _flag(facts, flag)
        if found is not None:
            yield found


def _is_global(facts: KernelFacts, access: MemoryAccess) -> bool:
    return facts.points_to.space_of(access) is Space.GLOBAL


def _unfenced_data(
    facts: KernelFacts, flag: MemoryAccess
) -> Iterator[tuple[MemoryAccess, MemoryObject]]:
    """The stores to other objects that come before a flag with no fence between."""
    own = facts.points_to.object_of(flag)
    for data in facts.accesses:
        if data.kind is not AccessKind.STORE or not _is_global(facts, data):
            continue
        item = facts.points_to.object_of(data)
        if item is None or own is None or item is own or data.scope:
            continue
        way = between(data, flag)
        if way is not None and not any(map(_orders, way)):
            yield data, item


def _orders(operation: Operation) -> bool:
    """Whether what was written before is seen before what is written behind."""
    if isinstance(operation, Fence):
        return operation.scope != "block" or "proxy" in operation.name
    if isinstance(operation, MemoryAccess):
        return any(word in operation.name for word in _RELEASING)
    if operation.opcode in (Opcode.CALL, Opcode.OPAQUE):
        return True
    return isinstance(operation, Barrier) and operation.kind in (
        BarrierKind.GRID,
        BarrierKind.CLUSTER,
    )


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
    lock = facts.points_to.object_of(flag)
    for spin in spins(facts):
        if not spin.swaps or spin.item is not lock or between(spin.read, flag) is None:
            continue
        for data, item in _unfenced_data(facts, flag):
            held = between(spin.read, data) is not None and data.block not in spin.loop.blocks
            reader = _reader(facts, item, spin.read) if held else None
            if reader is not None and not _is_own(data):
                return Unfenced(PublicationKind.LOCK, data, flag, reader, item)
    return None


def _flag(facts: KernelFacts, flag: MemoryAccess) -> Unfenced | None:
    """A flag that another block waits for in a loop."""
    own = facts.points_to.object_of(flag)
    for spin in spins(facts):
        if spin.swaps or spin.item is not own or spin.read is flag:
            continue
        stored = whole_number(flag.operands[-1]) if flag.kind is AccessKind.STORE else None
        goes_on = None if stored is None else spin.goes_on_at(stored)
        if goes_on or (goes_on is None and stored == 0):
            continue  # it takes the flag back
        if any(_blocks_in(flag.address)) and alike(flag.address, spin.read.address):
            continue  # its own block waits for it
        for data, item in _unfenced_data(facts, flag):
            reader = _reader(facts, item, spin.read)
            if reader is not None and _is_of_another(data, reader):
                return Unfenced(PublicationKind.FLAG, data, flag, reader, item)
    return None


def _reader(facts: KernelFacts, item: MemoryObject, start: MemoryAccess) -> MemoryAccess | None:
    """A load of the data behind the wait."""
    for access in facts.accesses:
        loads = access.kind is AccessKind.LOAD and facts.points_to.object_of(access) is item
        if loads and between(start, access) is not None:
            return access
    return None


def _is_own(data: MemoryAccess) -> bool:
    """Whether each thread or block writes a place of its own, which needs no lock."""
    return any(isinstance(each, SpecialRegister) for each in computed_from(data.address))


def _is_of_another(data: MemoryAccess, reader: MemoryAccess) -> bool:
    """Whether it reads anything but a place that it has written itself."""
    return data.address is not reader.address or not _is_own(data)
