"""Kernels that are made for blocks of several warps, whatever block they are launched with.

In: a kernel's facts. Out: whether shared memory has a place for each warp (an address there is made
of the number of the warp in its block, `threadIdx.x / 32` or `threadIdx.x >> 5`), and others take
what a warp has left there: all threads of the block meet at a barrier, or the array is read at a
place that the number of the warp has no part in. A block of a single warp would need none of it.
Not handled: sizes of a warp that only the launch gives, numbers of warps that are passed on through
memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Barrier, BarrierKind, Opcode, Operation
from ...ir.values import Special, SpecialRegister, whole_number
from ..dataflow.slices import backward_slice
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from ..block_execution.facts import BlockFacts

_BITS = WARP.bit_length() - 1
_DIVIDING = {Opcode.DIV: WARP, Opcode.SHR: _BITS}


def is_for_several_warps(facts: BlockFacts) -> bool:
    """Whether a kernel is made for blocks of several warps, whatever block it is launched with."""
    meets = any(each.kind is BarrierKind.BLOCK for each in facts.every(Barrier))
    left: set[MemoryObject | None] = set()  # what each warp has its place in
    read: set[MemoryObject | None] = set()  # and what is read elsewhere
    for access in facts.accesses:
        if facts.points_to.space_of(access) is Space.SHARED:
            item = facts.points_to.object_of(access)
            if any(map(_is_warp_number, backward_slice(access.address))):
                if meets:
                    return True
                left |= {item} if access.writes else set()
            elif access.reads:
                read.add(item)
    return not left.isdisjoint(read - {None})


def _is_warp_number(value: Value) -> bool:
    """Whether a value is the number of a thread's warp in its block."""
    if isinstance(value, SpecialRegister):
        return value.register is Special.WARP
    if not isinstance(value, Operation) or value.opcode not in _DIVIDING:
        return False
    divided, by = value.operands
    if whole_number(by) != _DIVIDING[value.opcode]:
        return False
    return any(
        isinstance(each, SpecialRegister) and each.register is Special.THREAD_X
        for each in backward_slice(divided)
    )
