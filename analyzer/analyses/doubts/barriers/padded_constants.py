"""Loops of whole blocks over as many elements as `__constant__` memory says: they may be padded.

In: a decision that parts two threads before a barrier. Out: whether it is the test of a loop that
moves on by the size of the block, `for (i = threadIdx.x; i < list.length; i += blockDim.x)`, with
a bound from constant memory. What the host puts there for the kernel no launch shows; whoever
places a barrier in such a loop may have filled the list up to whole blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.memory import Space
from ....ir.operations import MemoryAccess, Phi, unconverted
from ....ir.values import Constant
from ...block_shape.block_size_guesses import is_block_size
from ...dataflow.induction import induction, loop_tests
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.values import Value
    from ...dataflow.control_flow import Loop
    from .candidates import SplitCandidate


def _may_be_padded(candidate: SplitCandidate) -> bool:
    flow, branch = candidate.facts.flow, candidate.edge.branch
    loops = [loop for loop in flow.loop_nest(branch) if branch in loop.exits]
    return any(_is_of_blocks(candidate, loop) for loop in loops)


def _is_of_blocks(candidate: SplitCandidate, loop: Loop) -> bool:
    """Whether a loop goes block by block up to a number in constant memory."""
    points_to, flow = candidate.facts.points_to, candidate.facts.flow
    for test in loop_tests(loop):
        bound, tested = unconverted(test.bound), test.tested
        item = points_to.object_of(bound) if isinstance(bound, MemoryAccess) else None
        counter = induction(flow, tested) if isinstance(tested, Phi) else None
        if item is not None and item.space is Space.CONSTANT and counter is not None:
            return any(_is_block(candidate, step) for step, _ in counter.steps)
    return False


def _is_block(candidate: SplitCandidate, step: Value) -> bool:
    step = unconverted(step)
    threads = candidate.launch.launch.threads
    return is_block_size(step) or (isinstance(step, Constant) and step.value == threads)


DOUBT = Doubt(
    "constant-may-be-padded",
    Effect.POSSIBLE,
    "the loop goes block by block up to a number in constant memory, which may be a multiple",
    _may_be_padded,
)
