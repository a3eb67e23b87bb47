"""Induction variables, what stays the same in a loop, and how often its test is passed.

Problem: which phi of a loop's header moves by the same in every iteration, by how much, and how
many iterations the loop makes. Algorithm: basic induction variables (Aho, Lam, Sethi, Ullman,
"Compilers", 2nd ed., 9.1.7 and 9.6): the additions that lead from the phi to its next value are
followed back, on every way round the loop, and must add values that are loop-invariant. Invariant
is what arithmetic makes of values from outside of the loop; what memory holds is not. (Whether a
value may differ between iterations by any operation, and by the branches that pick it, is asked of
`loop_variance.py`.) In: a phi, or a loop, and the kernel's control flow. Out: the first value and
the signed steps; the comparisons that keep control in the loop; a trip count from numbers.
Example: of `for (i = t; i < n; i += 64)` the first value is t, the step 64, the test `i < n`.
Not handled: loops that halve or double (`loop_iterations.py` steps through them), several nested
loops that move one counter.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED
from ...ir.operations import (
    COMPARISONS,
    Branch,
    Compare,
    Convert,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...source.records import dataclass
from .slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from .control_flow import ControlFlow, Loop

_ARITHMETIC = COMPARISONS | frozenset(
    {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.MUL_HIGH, Opcode.DIV, Opcode.REM, Opcode.MIN}
    | {Opcode.MAX, Opcode.SHL, Opcode.SHR, Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.NEG}
    | {Opcode.NOT, Opcode.ABS, Opcode.CONVERT, Opcode.SELECT, Opcode.EXTRACT}
)
_LARGEST = 64  # operations of an invariant, and steps of an induction variable


@dataclass(frozen=True, slots=True)
class Induction:
    """What an induction variable holds in the first iteration, and what each adds to it, or takes
    off.
    """

    first: Value
    steps: tuple[tuple[Value, int], ...]  # values, each with its sign


@dataclass(frozen=True, slots=True)
class LoopTest:
    """A comparison that keeps control in a loop while it holds: `tested opcode bound`."""

    tested: Value
    opcode: Opcode
    bound: Value


def induction(flow: ControlFlow, phi: Phi) -> Induction | None:
    """How a phi moves, when it is an induction variable of the loop that it heads."""
    if phi not in flow.inductions:  # every warp and every iteration of a loop asks again
        flow.inductions[phi] = _induction(flow, phi)
    return flow.inductions[phi]


def _induction(flow: ControlFlow, phi: Phi) -> Induction | None:
    loop = flow.innermost_loop.get(phi.block)
    if loop is None or loop.header is not phi.block:
        return None
    first: set[Value] = set()
    steps: set[tuple[tuple[Value, int], ...] | None] = set()
    for operand, predecessor in zip(phi.operands, phi.block.predecessors, strict=True):
        if predecessor in loop.blocks:
            steps.add(_steps(phi, operand, loop))
        else:
            first.add(operand)
    if len(first) != 1 or len(steps) != 1:
        return None
    found = steps.pop()
    return None if found is None else Induction(first.pop(), found)


def _steps(phi: Phi, value: Value, loop: Loop) -> tuple[tuple[Value, int], ...] | None:
    """The additions of loop-invariant values that lead from the phi to its next value."""
    steps: list[tuple[Value, int]] = []
    while value is not phi:
        if not isinstance(value, Operation) or len(steps) > _LARGEST:
            return None
        if isinstance(value, Convert) and value.type.bits == value.source.bits:
            value = value.operands[0]
            continue
        if value.opcode not in (Opcode.ADD, Opcode.SUB):
            return None
        left, right = value.operands
        if is_invariant(right, loop):
            steps.append((right, 1 if value.opcode is Opcode.ADD else -1))
            value = left
        elif value.opcode is Opcode.ADD and is_invariant(left, loop):
            steps.append((left, 1))
            value = right
        else:
            return None
    return tuple(steps)


def handed_over(flow: ControlFlow, phi: Phi, iteration: int) -> Value:
    """What a phi of a loop's header holds in an iteration, as far as values are only handed from
    phi to phi there: of two buffers that are swapped one or the other. The phi where more is done.
    """
    loop, value = flow.innermost_loop.get(phi.block), phi
    if loop is None or loop.header is not phi.block:
        return phi
    for left in range(iteration, -1, -1):
        taken = _operands(value, loop, back=left > 0)
        if len(taken) != 1:
            return phi
        (next,) = taken
        if not (left and isinstance(next, Phi) and next.block is loop.header):
            return next
        value = next
    return phi


def _operands(phi: Phi, loop: Loop, *, back: bool) -> set[Value]:
    """What a phi of a loop's header is on the way into the loop, or back to the header."""
    pairs = zip(phi.operands, phi.block.predecessors, strict=True)
    return {operand for operand, block in pairs if (block in loop.blocks) is back}


def is_invariant(value: Value, loop: Loop) -> bool:
    """Whether a value is the same in every iteration of a loop, such as `blockDim.x *
    gridDim.x`.
    """
    inside = loop.blocks

    def is_inside(each: Value) -> bool:
        return isinstance(each, Operation) and each.block in inside

    parts = backward_slice(value, through=is_inside)
    return all(
        isinstance(each, Operation) and each.opcode in _ARITHMETIC
        for each in islice(filter(is_inside, parts), _LARGEST)
    ) and not any(map(is_inside, parts))


def loop_tests(loop: Loop) -> Iterator[LoopTest]:
    """The comparisons that keep control in a loop, read from the left and from the right."""
    for block in loop.exits:
        last = block.terminator
        if isinstance(last, Branch) and isinstance(last.condition, Compare):
            opcode = last.condition.opcode
            goes_on = opcode if last.then in loop.blocks else NEGATED[opcode]
            first, second = last.condition.operands[:2]
            yield LoopTest(unconverted(first), goes_on, second)
            yield LoopTest(unconverted(second), MIRRORED[goes_on], first)


def trip_count(opcode: Opcode, start: int, step: int, bound: int) -> int:
    """How often a loop's test is passed by `start`, `start + step` and so on; 0 where the test is
    no end of it.
    """
    if opcode in (Opcode.GT, Opcode.GE):
        opcode, start, step, bound = MIRRORED[opcode], -start, -step, -bound
    if step <= 0 or opcode not in (Opcode.LT, Opcode.LE):
        return 0
    distance = bound - start + (opcode is Opcode.LE)
    return max(0, -(-distance // step))
