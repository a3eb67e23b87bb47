"""What a phi stands for: the counter of a loop, or one of two values by a branch's decision.

In: a phi and its kernel's control flow. Out: the values it is made of, or None when it is neither.
A counter adds the same values, fixed outside the loop, on every way round the loop; `while` loops
that halve or double are not counters (`loop_rounds.py` steps through them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.operations import Branch, Convert, Opcode, Operation

if TYPE_CHECKING:
    from ..ir.block import Block
    from ..ir.operations import Phi
    from ..ir.values import Value
    from .control_flow import ControlFlow, Loop

_ARITHMETIC = frozenset(
    {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV, Opcode.REM, Opcode.SHL, Opcode.SHR}
    | {Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.NEG, Opcode.NOT, Opcode.CONVERT}
)


def induction(flow: ControlFlow, phi: Phi) -> tuple[Value, list[tuple[Value, int]]] | None:
    """First value and the signed steps of one round, when the phi is a loop's counter."""
    assert phi.block is not None
    loop = flow.innermost_loop.get(phi.block)
    if loop is None or loop.header is not phi.block:
        return None
    first: Value | None = None
    steps: list[tuple[Value, int]] | None = None
    for operand, predecessor in zip(phi.operands, phi.block.predecessors, strict=True):
        if predecessor not in loop.blocks:
            if first is not None and first is not operand:
                return None
            first = operand
            continue
        found = _steps(phi, operand, loop)
        if found is None or (steps is not None and found != steps):
            return None
        steps = found
    return None if first is None or steps is None else (first, steps)


def selection(flow: ControlFlow, phi: Phi) -> tuple[Value, Value, Value] | None:
    """Condition and the two values, when the phi joins the two ways of one branch."""
    block = phi.block
    assert block is not None
    if len(phi.operands) != 2:
        return None
    branch = flow.blocks[flow.dominators.parent[block.index]]
    last = branch.terminator
    if not isinstance(last, Branch) or last.then is last.otherwise:
        return None
    around = flow.innermost_loop.get(branch)
    if around is not None and block not in around.blocks:
        return None  # the decision fell in the loop's last round, which one is not known
    sides: dict[bool, Value] = {}
    for operand, predecessor in zip(phi.operands, block.predecessors, strict=True):
        side = _side(flow, last, branch, block, predecessor)
        if side is None or side in sides:
            return None
        sides[side] = operand
    return last.condition, sides[True], sides[False]


def _side(
    flow: ControlFlow, last: Branch, branch: Block, join: Block, predecessor: Block
) -> bool | None:
    """Which way of the branch leads through this predecessor of the join."""
    if predecessor is branch:
        return last.then is join
    for side, target in ((True, last.then), (False, last.otherwise)):
        if target is not join and flow.dominators.dominates(target.index, predecessor.index):
            return side
    return None


def _steps(phi: Phi, value: Value, loop: Loop) -> list[tuple[Value, int]] | None:
    """The additions of loop-invariant values that lead from the phi to its next value."""
    steps: list[tuple[Value, int]] = []
    while value is not phi:
        if not isinstance(value, Operation) or len(steps) > 64:
            return None
        if isinstance(value, Convert) and value.type.bits == value.source.bits:
            value = value.operands[0]
            continue
        if value.opcode not in (Opcode.ADD, Opcode.SUB):
            return None
        left, right = value.operands
        if _invariant(right, loop):
            steps.append((right, 1 if value.opcode is Opcode.ADD else -1))
            value = left
        elif value.opcode is Opcode.ADD and _invariant(left, loop):
            steps.append((left, 1))
            value = right
        else:
            return None
    return steps


def _invariant(value: Value, loop: Loop, depth: int = 8) -> bool:
    """Whether a value is the same in every round, such as `blockDim.x * gridDim.x`."""
    if not isinstance(value, Operation) or value.block not in loop.blocks:
        return True
    if value.opcode not in _ARITHMETIC or not depth:
        return False
    return all(_invariant(operand, loop, depth - 1) for operand in value.operands)
