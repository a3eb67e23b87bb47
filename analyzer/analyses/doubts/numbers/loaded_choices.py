"""Numbers that a kernel takes instead of its own when what it has loaded says so.

In: an access of a launch. Out: whether its place depends on a number that is a constant in one case
and something else in another, `if (rows * columns > *room) rows = 0;`, where numbers from memory
decide for the whole block. What is loaded gets a number of ours, which need not fit the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Opcode, Operation, Phi
from ....ir.values import Constant
from ...dataflow.slices import backward_slice
from ...pointers.provenance import reads_memory
from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.operations import MemoryAccess
    from ....ir.values import Value
    from ...conflicts.facts import ConflictLaunch
    from ..question.candidates import AnyCandidate


def _depend_on_a_choice(candidate: AnyCandidate) -> bool:
    return any(_is_chosen(candidate.judged_for, access) for access in candidate.accesses)


def _is_chosen(launch: ConflictLaunch, access: MemoryAccess) -> bool:
    """Whether loaded numbers choose a constant for the place of an access."""
    for each in backward_slice(access.address):
        if not isinstance(each, Operation) or each.opcode not in (Opcode.PHI, Opcode.SELECT):
            continue
        chosen = each.operands[1:] if each.opcode is Opcode.SELECT else each.operands
        constants = sum(isinstance(value, Constant) for value in chosen)
        if 0 < constants < len(chosen) and any(map(reads_memory, _conditions(launch, each))):
            return True
    return False


def _conditions(launch: ConflictLaunch, choice: Operation) -> Iterator[Value]:
    """What decides, for all threads of a block, which value is taken."""
    if not isinstance(choice, Phi):
        if launch.uniformity.of(choice.operands[0]) <= Uniformity.BLOCK:
            yield choice.operands[0]
        return
    flow = launch.facts.flow
    if any(loop.header is choice.block for loop in flow.loop_nest(choice.block)):
        return  # a number of the loop's own
    before = set(flow.controlling_edges(choice.block))
    for block in choice.block.predecessors:
        ends = [block] if len(block.successors) > 1 else []
        branches = {edge.branch for edge in flow.controlling_edges(block) if edge not in before}
        for branch in (*branches, *ends):
            if launch.uniformity.of_branch(branch) <= Uniformity.BLOCK:
                yield branch.terminator.operands[0]


DOUBT = Doubt(
    "loaded-choice",
    Effect.POSSIBLE,
    "values from memory replace a number in the index, and their example values may not fit",
    _depend_on_a_choice,
)
