"""Sizes for which two threads meet, and that the host cannot pass together, or with this block.

In: two accesses that meet. Out: whether the numbers that were assumed for parameters, and that have
a part in where the accesses go or who comes to them, contradict what the launch makes its arguments
of: `width = 2` and `edge = 1056` where it passes `48 * width` (`launch/relations.py`), or 1,024
warps to a block of 64 threads.
Not handled: members of arguments; the grid, of which one block is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import Parameter
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ..question.candidates import BlockCandidate


def _cannot_be_passed(candidate: BlockCandidate) -> bool:
    context = candidate.context
    if context.launch.launch.formulas is None:
        return False
    numbers = context.assumed_by(candidate.run.numbers, candidate.accesses, loops=True)
    passed = {value.index: number for value, number in numbers if isinstance(value, Parameter)}
    return bool(passed) and context.can_be_passed(passed) is False


DOUBT = Doubt(
    "sizes-not-launched",
    Effect.POSSIBLE,
    "no launch in the file can pass these sizes together",
    _cannot_be_passed,
)
