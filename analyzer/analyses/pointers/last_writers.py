"""Which names memory was last written through, where it is read through a name.

In: the control flow, and the name of each access to memory that has several names. Out: the reads
that may meet what was written through another name. What a loop writes through a name without
reading it counts as written when the loop is entered: a loop that fills an array runs. Not
distinguished: the places of two accesses. Who reads what was never written through the same name
reads it on purpose or not at all; that is for the caller to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import MemoryAccess
from ..dataflow.fixpoint import solve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...ir.block import Block
    from ..dataflow.control_flow import ControlFlow, Loop

_Names = frozenset[str]


def mistaken_reads(
    flow: ControlFlow, names: Mapping[MemoryAccess, str]
) -> Iterator[tuple[MemoryAccess, _Names]]:
    """The reads of memory through one name that may find what was last written through another,
    each with those names.
    """
    before = _states(flow, names)
    for block in flow.blocks:
        state = before[block]
        for access in _named(block, names):
            others = state - {names[access]}
            if access.reads and others:
                yield access, others
            if access.writes:
                state = frozenset({names[access]})


def _states(flow: ControlFlow, names: Mapping[MemoryAccess, str]) -> dict[Block, _Names]:
    """The last writers at the head of each block."""
    filled = {loop.header: (loop, _filled(loop, names)) for loop in flow.loops}
    before: dict[Block, _Names] = dict.fromkeys(flow.blocks, frozenset())

    def transfer(block: Block) -> Iterator[Block]:
        state = before[block]
        for access in _named(block, names):
            if access.writes:
                state = frozenset({names[access]})
        for target in block.successors:
            loop, written = filled.get(target, (None, frozenset()))
            entering = loop is not None and block not in loop.blocks
            joined = before[target] | (written if entering and written else state)
            if joined != before[target]:
                before[target] = joined
                yield target

    solve(flow.blocks, transfer)
    return before


def _filled(loop: Loop, names: Mapping[MemoryAccess, str]) -> _Names:
    """The names that a loop writes through and does not read through."""
    inside = [access for block in loop.blocks for access in _named(block, names)]
    written = {names[access] for access in inside if access.writes}
    return frozenset(written - {names[access] for access in inside if access.reads})


def _named(block: Block, names: Mapping[MemoryAccess, str]) -> Iterator[MemoryAccess]:
    for operation in block.operations:
        if isinstance(operation, MemoryAccess) and operation in names:
            yield operation
