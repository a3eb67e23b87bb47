"""What decides if a thread comes to its access, and is not known.

In: two threads of a block. Out: for those of them that are not sure to come, the conditions of the
decisions before the access, but for what was decided for the whole block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pointers.provenance import reads_memory

if TYPE_CHECKING:
    from ....ir.values import Value
    from ...block_execution.access_events import ThreadAccess
    from ..question.candidates import BlockCandidate


def uncertain(candidate: BlockCandidate) -> list[ThreadAccess]:
    """Those of the two threads that may not come."""
    return [touch for touch in (candidate.first, candidate.second) if not touch.must]


def open_conditions(candidate: BlockCandidate, touch: ThreadAccess) -> list[Value]:
    """What decides if a thread comes to an access, but for what was decided for the block."""
    block = touch.access.block
    assert block is not None
    return [
        edge.branch.terminator.operands[0]
        for edge in candidate.context.program.flow.controlling_edges(block)
        if edge.branch not in candidate.run.numbers.decided
    ]


def conditions_on_data(candidate: BlockCandidate) -> list[list[Value]]:
    """For each thread that may not come, the conditions on what it has loaded."""
    return [
        list(filter(reads_memory, open_conditions(candidate, touch)))
        for touch in uncertain(candidate)
    ]
