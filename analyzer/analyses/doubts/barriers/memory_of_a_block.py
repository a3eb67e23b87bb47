"""Numbers with which no block could have its dynamic shared memory.

In: a decision that parts two threads by numbers that were assumed. Out: whether the kernel, with
exactly these, goes further into dynamic shared memory than a block of it can have, already in the
first iterations of its loops (`pointers/array_extents.py`). What the witness does not name
is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import Parameter, SpecialRegister
from ...block_execution.launch_values import assumed_name, greatest_of
from ...launch.shared_limit import most_dynamic_shared
from ...pointers.array_extents import ArrayExtents
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.values import Value
    from .candidates import ExitCandidate, SplitCandidate


def _needs_too_much(candidate: SplitCandidate | ExitCandidate) -> bool:
    witness, launch, facts = candidate.witness, candidate.launch, candidate.facts
    if witness is None or not witness.used:
        return False
    numbers = dict(witness.used)

    def greatest(value: Value) -> int | None:
        if isinstance(value, SpecialRegister):
            number = numbers.get(value.register)
            return greatest_of(value.register, launch.launch, 1) if number is None else number
        if isinstance(value, Parameter) and value in launch.passed:
            return launch.passed[value]
        return numbers.get(assumed_name(value))

    needed = ArrayExtents(facts, greatest).dynamic_shared
    return needed > most_dynamic_shared(facts.kernel, facts.architecture)


DOUBT = Doubt(
    "no-block-has-that-memory",
    Effect.POSSIBLE,
    "with these sizes a block would need more dynamic shared memory than any can have",
    _needs_too_much,
)
