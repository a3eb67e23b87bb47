"""Threads that a kernel names: a block is not so small that they are missing.

In: a kernel's facts. Out: the largest number that a decision asks `threadIdx.x` to be equal to, in
a kernel for rows of threads: `if (threadIdx.x == THREADS - 1) last = sum;` is there for somebody.
What is decided by the size of the block as well may be for other blocks.
Not handled: numbers of threads in blocks of several rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Branch, Opcode, unconverted
from ...ir.values import Special, SpecialRegister, whole_number
from ..dataflow.slices import backward_slice
from ..pointers.provenance import comparisons
from .block_size_guesses import is_block_size

if TYPE_CHECKING:
    from ...ir.operations import Compare
    from ..block_execution.facts import BlockFacts

_NOBODY = -1


def last_named(facts: BlockFacts) -> int:
    """The last thread that a kernel names, which its block must have; -1 where none is named."""
    found = _NOBODY
    for block in facts.kernel.blocks:
        end = block.terminator
        if not isinstance(end, Branch):
            continue
        named = max(map(_named, comparisons(end.condition)), default=_NOBODY)
        if named > found:
            decided = (end.condition, *facts.flow.conditions(block))
            if not any(map(is_block_size, backward_slice(*decided))):
                found = named
    return found


def _named(compare: Compare) -> int:
    if compare.opcode is not Opcode.EQ:
        return _NOBODY
    one, other = compare.operands
    for index, number in ((one, other), (other, one)):
        thread = unconverted(index)
        if isinstance(thread, SpecialRegister) and thread.register is Special.THREAD_X:
            named = whole_number(number)
            return _NOBODY if named is None else named
    return _NOBODY
