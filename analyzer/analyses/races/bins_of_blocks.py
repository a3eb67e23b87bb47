"""Bins that all blocks count in, with block-scope atomics.

In: a kernel's facts. Out: each atomic operation of block scope on global memory at an index that
data was cut to size for (a byte, a remainder, a mask), with nothing of the block's own in it: data
of two blocks comes to one bin. Left out are kernels that only have launches of one block, and what
locks or flags decide about. Other indices from memory may be parted between the blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import MemoryAccess
from ...source.records import dataclass
from ..block_execution.launch_values import BLOCK_INDEX, is_block_index
from ..dataflow.slices import backward_slice
from ..doubts.updates.arranged_updates import is_arranged
from ..inter_block.scopes import has_one_block
from ..pointers.indirect_addresses import is_found_in_memory
from ..pointers.memory_model import ATOMIC, is_of_block
from ..pointers.provenance import is_made_of_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from .facts import RaceFacts


@dataclass(frozen=True, slots=True)
class BlockBins:
    """An atomic of block scope with which several blocks count, and the array of bins."""

    access: MemoryAccess
    item: MemoryObject


def block_bins(facts: RaceFacts) -> Iterator[BlockBins]:
    """The atomics of block scope by which several blocks count in one bin, in program order."""
    if has_one_block(facts) or not _asks_for_block(facts):
        return
    for access in facts.accesses:
        if access.kind not in ATOMIC or not is_of_block(access):
            continue
        item = facts.points_to.object_of(access)
        if item is None or facts.points_to.spaces(access) != {Space.GLOBAL}:
            continue
        found = is_found_in_memory(facts, access.address) and is_made_of_data(access.address)
        if found and not _is_of_one_block(access.address) and not is_arranged(facts, access, None):
            yield BlockBins(access, item)


def _asks_for_block(facts: RaceFacts) -> bool:
    """Whether the kernel asks for its block, so that several have work of their own."""
    return not facts.registers.isdisjoint(BLOCK_INDEX)


def _is_of_one_block(address: Value) -> bool:
    """Whether the block's index has a part in an address, but for what it finds in memory."""
    parts = backward_slice(address, through=lambda each: not isinstance(each, MemoryAccess))
    return any(map(is_block_index, parts))
