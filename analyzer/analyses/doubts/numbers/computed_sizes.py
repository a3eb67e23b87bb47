"""Sizes that the host computes in a way that was not read: `next_power_of_two(2 * n - 1)`.

In: two accesses that meet. Out: whether a parameter has a part in where they go for which the
launch in sight passes something that is neither a number nor a formula of the host's variables:
nobody is free to choose it, and it may hold to a relation with other sizes that keeps the threads
apart. Not handled: members of arguments; sizes that only say who comes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.types import Kind
from ....ir.values import Parameter
from ...dataflow.slices import backward_slice
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...launch.assumed_launch import AssumedLaunch
    from ..question.candidates import BlockCandidate


def _is_computed(candidate: BlockCandidate) -> bool:
    launch = candidate.launch
    if launch.unsettled or launch.inferred:
        return False  # its arguments are what all launches agree on
    made_of = backward_slice(*(each.address for each in candidate.accesses))
    return any(
        isinstance(value, Parameter)
        and value.member is None
        and value.type.kind is Kind.INTEGER
        and _is_open(launch, value.index)
        for value in made_of
    )


def _is_open(launch: AssumedLaunch, index: int) -> bool:
    """Whether a launch passes something there of which nothing is known."""
    if index >= len(launch.arguments) or launch.arguments[index] is not None:
        return False
    formulas = launch.formulas.arguments if launch.formulas is not None else ()
    return index >= len(formulas) or formulas[index] is None


DOUBT = Doubt(
    "size-computed-by-host",
    Effect.POSSIBLE,
    "the host computes this size in a way that was not read, and may never pass this number",
    _is_computed,
)
