"""What parts the threads of a block before an operation.

In: an operation in a launch. Out: the conditions of the decisions that may go either way within the
block, those about the operation and those about the values of variables that these ask for:
`if (row < rows) mine = true;` for what stands behind `if (mine)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Phi
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice
from .uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import Operation
    from ...ir.values import Value
    from .facts import WarpLaunch


def parting_decisions(launch: WarpLaunch, operation: Operation) -> Iterator[Value]:
    """The conditions that part the threads of a block before an operation, those next to
    it first.
    """

    def parting(block: Block) -> Iterator[Block]:
        """The branches that threads part at on their way to a block."""
        for edge in launch.facts.flow.controlling_edges(block):
            if launch.uniformity.of_branch(edge.branch) > Uniformity.BLOCK:
                yield edge.branch

    def before(branch: Block) -> Iterator[Block]:
        """Those that pick what a branch decides by."""
        for value in backward_slice(branch.terminator.operands[0]):
            if isinstance(value, Phi):
                for block in value.block.predecessors:
                    yield from parting(block)

    for branch in reachable(parting(operation.block), before):
        yield branch.terminator.operands[0]
