"""Conditions on what the kernel has computed: they may let a single thread through.

In: two threads of a block, one at least not sure to come. Out: whether something other than data
that the kernel was given (`pointers/provenance.py`: `is_of_data`) has a part in what decides. Where
data is found plays none, as any may be there, nor do numbers that the two share as lanes of a warp.
Of an atomic operation against an access that is sure to be made, any thread but one will do.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ....ir.operations import MemoryAccess, Opcode, Operation
from ...dataflow.slices import backward_slice
from ...pointers.memory_model import ATOMIC
from ...pointers.provenance import is_data, is_of_data
from ...warp_evaluation.lane_values import WARP
from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect
from .conditions import conditions_on_data, uncertain

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..question.candidates import BlockCandidate


def _asks_more_than_data(candidate: BlockCandidate) -> bool:
    if all(touch.access.kind in ATOMIC for touch in uncertain(candidate)):
        return False  # it is atomic because several threads come, in turn or together
    points_to = candidate.facts.points_to
    return not all(
        is_data(condition, points_to) or _is_data_of_threads(candidate, condition)
        for conditions in conditions_on_data(candidate)
        for condition in conditions
    )


def _is_data_of_threads(candidate: BlockCandidate, condition: Value) -> bool:
    """Whether a condition is made of data, but for what does not differ between the threads."""
    points_to = candidate.facts.points_to
    return all(
        is_of_data(each, points_to) or _is_shared(candidate, each)
        for each in backward_slice(condition, through=partial(_differs, candidate))
    )


def _differs(candidate: BlockCandidate, value: Value) -> bool:
    """Whether it matters what a value is made of."""
    is_op = isinstance(value, Operation) and value.opcode is Opcode.WARP
    return not (isinstance(value, MemoryAccess) or (is_op and _is_shared(candidate, value)))


def _is_shared(candidate: BlockCandidate, value: Value) -> bool:
    """Whether the two threads are lanes of a warp that has one number here."""
    if candidate.first.thread // WARP != candidate.second.thread // WARP:
        return False
    return candidate.context.launch.uniformity.of(value) <= Uniformity.WARP


DOUBT = Doubt(
    "condition-on-state",
    Effect.POSSIBLE,
    "a condition on more than input data decides who gets here, and may admit a single thread",
    _asks_more_than_data,
)
