"""Arguments of a function that nobody in sight calls: each thread may be given its own.

In: two threads of a block in a function that is looked at as if a kernel called it. Out: whether an
argument has a part in where one of the two accesses goes, as a pointer or as an index, or in
whether a thread comes there. Where a barrier of the block depends on an argument, the whole block
decides alike by it: such a condition is no doubt. Neither is what the function itself declares in
shared memory, at an index of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Operation, Phi
from ....ir.values import Parameter
from ...dataflow.reachability import reachable
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.block import Block
    from ....ir.operations import MemoryAccess
    from ....ir.values import Value
    from ..question.candidates import BlockCandidate


def _may_differ(candidate: BlockCandidate) -> bool:
    if not candidate.facts.kernel.uncalled:
        return False
    return any(_hangs_on_argument(candidate, access) for access in candidate.accesses)


def _hangs_on_argument(candidate: BlockCandidate, access: MemoryAccess) -> bool:
    program = candidate.context.program

    def decided_at(block: Block) -> Iterator[Value]:
        for edge in program.flow.controlling_edges(block):
            if not program.plan.region(edge.branch).waits:
                yield edge.branch.terminator.operands[0]

    def made_of(value: Value) -> Iterator[Value]:
        """What a value is computed from, and what picks one of several."""
        if isinstance(value, Operation):
            yield from value.operands
        if isinstance(value, Phi):
            for block in value.block.predecessors:
                yield from decided_at(block)

    asked = reachable((access.address, *decided_at(access.block)), made_of)
    return any(isinstance(each, Parameter) for each in asked)


DOUBT = Doubt(
    "argument-of-caller",
    Effect.POSSIBLE,
    "nothing in sight calls this function, and each thread may be given an argument of its own",
    _may_differ,
)
