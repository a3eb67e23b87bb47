"""Barriers that a choice of the compiler puts there, where what it chooses by is not known.

In: a decision that parts two threads, or sends some away, and the barrier. Out: whether the barrier
stands behind a condition on constants of which one is not known: `(TILE > 32) ? __syncthreads() :
__syncwarp()` with a template argument that the host makes of the size of a type. No launch is known
to have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Opcode, Operation
from ....ir.values import Parameter, SpecialRegister
from ...dataflow.slices import backward_slice
from ...pointers.provenance import is_unknown
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.values import Value
    from .candidates import ExitCandidate, SplitCandidate

_OF_A_RUN = frozenset({Opcode.ACCESS, Opcode.CALL, Opcode.OPAQUE, Opcode.WARP})


def _is_chosen_by_unknown(candidate: SplitCandidate | ExitCandidate) -> bool:
    conditions = candidate.facts.flow.conditions(candidate.barrier.block)
    return any(map(_is_unknown_constant, conditions))


def _is_unknown_constant(condition: Value) -> bool:
    values = list(backward_slice(condition))
    return any(map(is_unknown, values)) and not any(map(_is_of_a_run, values))


def _is_of_a_run(value: Value) -> bool:
    """Whether a value may be another one in each launch or for each thread."""
    if isinstance(value, Operation):
        return value.opcode in _OF_A_RUN
    return isinstance(value, Parameter | SpecialRegister)


DOUBT = Doubt(
    "barrier-by-unknown-constant",
    Effect.POSSIBLE,
    "a constant that is not known decides whether this barrier is there at all",
    _is_chosen_by_unknown,
)
