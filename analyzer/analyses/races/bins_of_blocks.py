"""Bins that all blocks count in: with block-scope atomics, or while a block sets them to zero.

In: a kernel's facts. Out: atomic operations on global memory at an index that data was cut to size
for (a byte, a remainder, a mask), with nothing of the block's own in it: data of two blocks comes
to one bin. Such an operation of block scope is not atomic between them; of any scope it loses what
it adds, where a plain store of the same kernel puts something else there, and no barrier of the
grid orders the two.
Left out are kernels that only have launches of one block, and what locks or flags decide about.
Other indices from memory may be parted between the blocks. Not handled: stores that may be meant
for other elements, as those whose first one is not the first bin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import evaluate
from ...ir.memory import Space
from ...ir.operation_kinds import BETWEEN_BLOCKS
from ...ir.operations import (
    AccessKind,
    Barrier,
    Convert,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
)
from ...ir.values import SpecialRegister, whole_number
from ...source.records import dataclass
from ..block_execution.launch_values import BLOCK_INDEX, THREAD_INDEX, is_block_index
from ..dataflow.affine import affine
from ..dataflow.induction import induction
from ..dataflow.paths import are_apart
from ..dataflow.reachability import postorder
from ..dataflow.slices import backward_slice
from ..doubts.updates.arranged_updates import is_arranged
from ..inter_block.scopes import has_one_block
from ..pointers.indirect_addresses import is_found_in_memory
from ..pointers.memory_model import ATOMIC, is_of_block, is_strong
from ..pointers.provenance import is_made_of_data, reads_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow
    from .facts import RaceFacts

_INDICES = frozenset((*THREAD_INDEX, *BLOCK_INDEX))
_COUNTED = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL, Opcode.CONVERT})


@dataclass(frozen=True, slots=True)
class BlockBins:
    """An atomic of block scope with which several blocks count, and the array of bins."""

    access: MemoryAccess
    item: MemoryObject


def block_bins(facts: RaceFacts) -> Iterator[BlockBins]:
    """The atomics of block scope by which several blocks count in one bin, in program order."""
    if has_one_block(facts) or not _asks_for_block(facts):
        return
    for each in _counting(facts):
        if is_of_block(each.access):
            yield each


@dataclass(frozen=True, slots=True)
class SetBins:
    """A store to bins in which other blocks may count already, or still."""

    store: MemoryAccess
    count: MemoryAccess
    item: MemoryObject


def set_bins(facts: RaceFacts) -> Iterator[SetBins]:
    """The plain stores to bins that all blocks count in, each with the first operation that counts
    there, in program order.
    """
    if has_one_block(facts) or not _asks_for_block(facts):
        return
    counting = list(_counting(facts))
    if not counting or _may_order_blocks(facts):
        return
    for store in facts.accesses:
        item = facts.points_to.object_of(store)
        if store.kind is not AccessKind.STORE or is_strong(store) or _is_chosen(facts, store):
            continue
        for each in counting:
            if each.item is item and _is_with(facts, store, each.access):
                yield SetBins(store, each.access, each.item)
                break


def _counting(facts: RaceFacts) -> Iterator[BlockBins]:
    """The atomic operations on bins that all blocks count in."""
    for access in facts.accesses:
        if access.kind not in ATOMIC:
            continue
        item = facts.points_to.object_of(access)
        if item is None or facts.points_to.spaces(access) != {Space.GLOBAL}:
            continue
        found = is_found_in_memory(facts, access.address) and is_made_of_data(access.address)
        if found and not _is_of_one_block(access.address) and not is_arranged(facts, access, None):
            yield BlockBins(access, item)


def _may_order_blocks(facts: RaceFacts) -> bool:
    """Whether something in a kernel may make blocks wait for each other."""
    return bool(facts.spins) or any(
        each.opcode in (Opcode.CALL, Opcode.OPAQUE)
        or (isinstance(each, Barrier) and each.kind in BETWEEN_BLOCKS)
        for each in facts.kernel.operations()
    )


def _is_chosen(facts: RaceFacts, store: MemoryAccess) -> bool:
    """Whether data decides about a store, or a lock: the last block may clean up."""
    may_order = facts.critical_sections.may_order
    return may_order(store, store) or any(map(reads_memory, facts.flow.conditions(store.block)))


def _is_with(facts: RaceFacts, store: MemoryAccess, count: MemoryAccess) -> bool:
    """Whether a launch makes both, and the first element that is stored is the first bin."""
    if are_apart(facts.flow, store, count):
        return False
    here, there = affine(store.address), affine(count.address)
    bases = [e for e in there.factors.items() if not reads_memory(e[0])]
    first = [e for e in here.factors.items() if not _begins_at_zero(facts.flow, e[0])]
    return here.number == there.number and first == bases


def _begins_at_zero(flow: ControlFlow, value: Value) -> bool:
    """Whether a value is 0 in the first thread of the first block, before loops go on."""

    def parts(each: Value) -> Sequence[Value]:
        if isinstance(each, Phi):
            moved = induction(flow, each)
            return () if moved is None else (moved.first,)
        return each.operands if isinstance(each, Operation) and each.opcode in _COUNTED else ()

    known: dict[Value, int | None] = {}
    for each in postorder(value, parts, known):
        known[each] = _number(each, [known[part] for part in parts(each)])
    return known[value] == 0


def _number(value: Value, parts: list[int | None]) -> int | None:
    """The number of a value there, from those of its parts."""
    if isinstance(value, SpecialRegister):
        return 0 if value.register in _INDICES else None
    if isinstance(value, Phi | Convert):
        return parts[0] if parts else None
    if not isinstance(value, Operation) or not parts:
        return whole_number(value)
    if value.opcode is Opcode.MUL and 0 in parts:
        return 0
    numbers = [each for each in parts if each is not None]
    return evaluate(value.opcode, value.type, numbers) if len(numbers) == len(parts) else None


def _asks_for_block(facts: RaceFacts) -> bool:
    """Whether the kernel asks for its block, so that several have work of their own."""
    return not facts.registers.isdisjoint(BLOCK_INDEX)


def _is_of_one_block(address: Value) -> bool:
    """Whether the block's index has a part in an address, but for what it finds in memory."""
    parts = backward_slice(address, through=lambda each: not isinstance(each, MemoryAccess))
    return any(map(is_block_index, parts))
