"""Kernels that have no use for several threads: most likely they are launched with one.

In: a launch whose block nobody states. Out: whether the kernel asks for no index of a thread; or,
where the two meet in global memory and it has no barrier of the block, for nothing but whether a
thread is the first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.memory import Space
from ....ir.operations import Barrier, BarrierKind, Compare, Convert, Opcode, unconverted
from ....ir.values import whole_number
from ...block_shape.block_inference import thread_axes
from ...block_shape.block_size_guesses import is_thread_index
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.operations import Operation
    from ...conflicts.facts import ConflictFacts
    from ..question.candidates import BlockCandidate


def _is_for_one_thread(candidate: BlockCandidate) -> bool:
    if not candidate.launch.guessed:
        return False
    if not thread_axes(candidate.facts):
        return True
    shared = candidate.conflict.item.space is Space.SHARED
    return not shared and _only_asks_for_the_first(candidate.facts)


def _only_asks_for_the_first(facts: ConflictFacts) -> bool:
    """Whether `threadIdx.x == 0` is all that is asked, and no thread waits for others."""
    if any(each.kind is BarrierKind.BLOCK for each in facts.every(Barrier)):
        return False
    return all(map(_asks_for_the_first, facts.kernel.operations()))


def _asks_for_the_first(operation: Operation) -> bool:
    asked = [is_thread_index(unconverted(each)) for each in operation.operands]
    if True not in asked or isinstance(operation, Convert):
        return True
    if not isinstance(operation, Compare) or operation.opcode not in (Opcode.EQ, Opcode.NE):
        return False
    return any(whole_number(each) == 0 for each in operation.operands)


DOUBT = Doubt(
    "single-thread-kernel",
    Effect.POSSIBLE,
    "the kernel has no work for several threads, so it is probably launched with a single one",
    _is_for_one_thread,
)
