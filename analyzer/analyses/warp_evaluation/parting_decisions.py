"""What parts the threads of a block before an operation.

In: an operation in a launch. Out: the conditions of the decisions that may go either way within the
block, those about the operation and those about the values of variables that these ask for:
`if (row < rows) mine = true;` for what stands behind `if (mine)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Phi
from ..dataflow.slices import computed_from
from .uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import Operation
    from ...ir.values import Value
    from .facts import LaunchFacts


def parting_decisions(launch: LaunchFacts, operation: Operation) -> Iterator[Value]:
    """The conditions, those next to the operation first."""
    assert operation.block is not None
    seen: set[Block] = set()
    work = [operation.block]
    while work:
        for edge in launch.facts.flow.controlling_edges(work.pop()):
            if edge.branch in seen or launch.uniformity.of_branch(edge.branch) <= Uniformity.BLOCK:
                continue
            seen.add(edge.branch)
            condition = edge.branch.terminator.operands[0]
            yield condition
            for value in computed_from(condition):
                if isinstance(value, Phi) and value.block is not None:
                    work += value.block.predecessors
