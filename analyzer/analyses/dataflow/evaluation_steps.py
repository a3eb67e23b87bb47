"""What each value needs to be computed: the same for all warps, launches and iterations of a loop.

In: a kernel's control flow, and which operations may vary where they are asked for. Out: for a
value, how it is found and which values it takes. Asked for again by every warp, launch and
iteration, so that it is kept.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from ...ir.operations import COMPARISONS, Compare, Opcode, Operation, Phi
from .induction import induction
from .phi_shapes import selection

if TYPE_CHECKING:
    from ...ir.values import Value
    from .control_flow import ControlFlow

BINARY = frozenset(
    {
        Opcode.ADD,
        Opcode.SUB,
        Opcode.MUL,
        Opcode.MUL_HIGH,
        Opcode.DIV,
        Opcode.REM,
        Opcode.MIN,
        Opcode.MAX,
        Opcode.AND,
        Opcode.OR,
        Opcode.XOR,
        Opcode.SHL,
        Opcode.SHR,
    }
)
UNARY = frozenset({Opcode.NOT, Opcode.NEG, Opcode.ABS})
EVALUATED = (
    BINARY
    | UNARY
    | COMPARISONS
    | frozenset({Opcode.SELECT, Opcode.CONVERT, Opcode.PURE, Opcode.EXTRACT})
)


class Way(IntEnum):
    """How a value of the IR is found when it is evaluated."""

    LEAF = 0  # no operation
    OUTSIDE = 1  # it does not vary: from the evaluator around the loop
    COMPUTED = 2


class Step(NamedTuple):
    """How one value of the IR is found when it is evaluated, and from which others."""

    way: Way
    needs: tuple[Value, ...] = ()
    plain: bool = False  # all operands are in sight as they are


def is_evaluated(operation: Operation) -> bool:
    """Whether an operation's value follows from those of its operands alone."""
    return operation.opcode in EVALUATED or isinstance(operation, Compare)


class EvaluationSteps:
    """The steps that evaluate each value of one kernel, for all warps and iterations; results are
    kept.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self._flow = flow
        self._known: dict[frozenset[Operation] | None, dict[Value, Step]] = {}

    def within(self, varying: frozenset[Operation] | None) -> dict[Value, Step]:
        """The steps found so far where only these operations vary; `of` adds to them."""
        return self._known.setdefault(varying, {})

    def of(self, value: Value, varying: frozenset[Operation] | None) -> Step:
        """How a value is found; without `varying`, nothing is fixed outside."""
        if not isinstance(value, Operation):
            return Step(Way.LEAF)
        if varying is not None and value not in varying:
            return Step(Way.OUTSIDE)
        return Step(Way.COMPUTED, tuple(self._needs(value)), self._is_plain(value))

    def _needs(self, operation: Operation) -> list[Value]:
        if isinstance(operation, Phi):
            if counts := induction(self._flow, operation):
                return [counts.first, *(step for step, _ in counts.steps)]
            chosen = selection(self._flow, operation)
            return list(chosen.values()) if chosen is not None else []
        return list(operation.operands) if is_evaluated(operation) else []

    def _is_plain(self, operation: Operation) -> bool:
        """Whether all operands are as computed: none comes out of a loop that was left."""
        if isinstance(operation, Phi) or self._flow.irreducible_regions:
            return False
        for operand in operation.operands:
            if isinstance(operand, Operation) and operand.block is not operation.block:
                loop = self._flow.innermost_loop.get(operand.block)
                if loop is not None and operation.block not in loop.blocks:
                    return False
        return True
