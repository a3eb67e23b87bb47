"""What decides if a thread comes to its access, and is not known.

In: two threads of a block. Out: for those of them that are not sure to come, the conditions of the
decisions before the access, but for what was decided for the whole block, what lanes of a warp
decide together, and what holds because the other thread comes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.arithmetic import NEGATED
from ....ir.operations import Compare, MemoryAccess, Opcode, Operation
from ....ir.types import Kind
from ....ir.values import Unknown
from ...dataflow.slices import backward_slice
from ...pointers.provenance import orders, reads_memory
from ...warp_evaluation.uniformity import Uniformity
from .votes_of_another import counts_the_other, is_shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.values import Value
    from ...block_execution.access_events import ThreadAccess
    from ...dataflow.control_flow import ControlEdge
    from ..question.candidates import BlockCandidate

_BELOW = frozenset({Opcode.LT, Opcode.LE})


def uncertain(candidate: BlockCandidate) -> list[ThreadAccess]:
    """Those of two conflicting threads that may not come to their accesses."""
    return [
        touch
        for touch in (candidate.first, candidate.second)
        if not (touch.must or _comes_with_the_other(candidate, touch))
    ]


def _comes_with_the_other(candidate: BlockCandidate, touch: ThreadAccess) -> bool:
    """Whether nothing else decides if a thread comes than that the other does."""
    edges = _undecided_edges(candidate, touch)
    return bool(edges) and not list(_open_edges(candidate, touch))


def open_conditions(candidate: BlockCandidate, touch: ThreadAccess) -> list[Value]:
    """The conditions, not decided for the whole block, by which a thread comes to its access or
    does not.
    """
    return [edge.branch.terminator.operands[0] for edge in _open_edges(candidate, touch)]


def _open_edges(candidate: BlockCandidate, touch: ThreadAccess) -> Iterator[ControlEdge]:
    for edge in _undecided_edges(candidate, touch):
        if not (is_shared(candidate, edge) or counts_the_other(candidate, touch, edge)):
            yield edge


def _undecided_edges(candidate: BlockCandidate, touch: ThreadAccess) -> list[ControlEdge]:
    """What leads to an access, but for what was decided for the whole block."""
    edges = candidate.context.program.flow.controlling_edges(touch.access.block)
    return [edge for edge in edges if edge.branch not in candidate.run.numbers.decided]


def bounded_alone(candidate: BlockCandidate, touch: ThreadAccess) -> bool:
    """Whether conditions before an access do no more than hold the thread's index below numbers
    that the block shares: a number that is large enough lets any two threads through.
    """
    return all(
        _is_below(candidate, edge)
        for edge in _open_edges(candidate, touch)
        if not _is_computed(edge.branch.terminator.operands[0])
    )


def _is_below(candidate: BlockCandidate, edge: ControlEdge) -> bool:
    """Whether a way is taken while an index of threads is less than a number of the block."""
    condition, holds = edge.condition or (None, False)
    if not isinstance(condition, Compare) or not orders(condition):
        return False
    opcode = condition.opcode if holds else NEGATED[condition.opcode]
    index, number = condition.operands if opcode in _BELOW else condition.operands[::-1]
    shared = candidate.context.launch.uniformity.of(number) <= Uniformity.BLOCK
    return shared and _is_computed(index)


def _is_computed(value: Value) -> bool:
    """Whether a value is made of indices, sizes and constants, none of which is unknown."""
    return not any(
        isinstance(each, Unknown | MemoryAccess)
        or each.type.kind is Kind.UNKNOWN
        or (isinstance(each, Operation) and each.opcode in (Opcode.CALL, Opcode.OPAQUE))
        for each in backward_slice(value)
    )


def conditions_on_data(candidate: BlockCandidate) -> list[list[Value]]:
    """For each of two conflicting threads that may not come, the conditions on what it
    has loaded.
    """
    return [
        list(filter(reads_memory, open_conditions(candidate, touch)))
        for touch in uncertain(candidate)
    ]
