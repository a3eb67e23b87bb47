"""Divisions of 64-bit integers in loops, which are calls of some hundred instructions.

In: a kernel's facts. Out: each division or remainder of 64-bit integers in a loop whose divisor is
not a constant and that the loop computes anew; what all iterations have in common compilers take
out of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Phi, unconverted
from ...ir.types import Kind
from ...ir.values import Constant
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.operations import Operation
    from ..dataflow.facts import DataflowFacts

_DIVIDING = frozenset({Opcode.DIV, Opcode.REM})


def wide_divisions(facts: DataflowFacts) -> Iterator[Operation]:
    """The divisions of 64-bit integers in the loops of a kernel, in its order."""
    for operation in facts.kernel.operations():
        if operation.opcode not in _DIVIDING or operation.type.kind is not Kind.INTEGER:
            continue
        if operation.type.bits != 64:
            continue
        loop = facts.flow.innermost_loop.get(operation.block)
        if loop is None or isinstance(unconverted(operation.operands[1]), Constant):
            continue
        moving = (each for each in backward_slice(*operation.operands) if isinstance(each, Phi))
        if any(phi.block in loop.blocks for phi in moving):
            yield operation
