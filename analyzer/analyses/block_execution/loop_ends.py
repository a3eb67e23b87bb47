"""The last iterations of a loop that counts evenly, so that the iterations between need not be run.

In: a loop, what all threads of a block hold at its header. Out: how many iterations can be left
out, and what the phis hold then: a phi that grows by the same amount each iteration is known, any
other is not. The loop has one test, of such a phi against a value from outside of it, and nothing
in it that threads wait for. As many iterations are left out as the first thread to leave can spare.
Not handled: loops that count by factors, tests of several counters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED, wrap
from ...ir.memory import Space
from ...ir.operations import (
    Branch,
    Compare,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...source.records import dataclass
from .thread_vectors import entries, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..pointers.points_to import PointsTo
    from .block_values import BlockValues
    from .thread_vectors import Threads, Vector

TAIL = 2  # iterations before the end that are run
_WAITING = frozenset({Opcode.BARRIER, Opcode.WARP, Opcode.FENCE, Opcode.CALL, Opcode.OPAQUE})


@dataclass(frozen=True, slots=True)
class EvenLoop:
    """A loop that goes on while a counter compares so with a bound; each phi with its step."""

    counter: Phi
    ahead: bool  # whether the counter is tested after it was stepped
    goes_on: Opcode
    bound: Value
    steps: dict[Phi, tuple[Value, int]]  # the step and its sign

    def skipped(self, values: BlockValues, threads: Threads, count: int) -> int:
        """How many iterations can be left out from here; 0 where it is not known."""
        step, sign = self.steps[self.counter]
        starts, bounds = values.of(self.counter), values.of(self.bound)
        chosen = numbers(threads, count)
        columns = [
            list(entries(each, count)) if isinstance(each, tuple) else [each] * count
            for each in (starts, values.of(step), bounds)
        ]
        least: int | None = None
        for thread in chosen:
            start, by, bound = (column[thread] for column in columns)
            if start is None or by is None or bound is None:
                return 0
            by *= sign
            iterations = _iterations(self.goes_on, start + by * self.ahead, by, bound)
            least = iterations if least is None else min(least, iterations)
        return max(0, (least or 0) - TAIL)

    def moved(self, phi: Phi, values: BlockValues, iterations: int, count: int) -> Vector:
        """What a phi holds that many iterations later."""
        if phi not in self.steps:
            return None
        step, sign = self.steps[phi]
        held, by = values.of(phi), values.of(step)
        if held is None or by is None:
            return None
        if isinstance(held, int) and isinstance(by, int):
            return wrap(held + sign * iterations * by, phi.type)
        return tuple(
            None if a is None or b is None else wrap(a + sign * iterations * b, phi.type)
            for a, b, _ in zip(entries(held, count), entries(by, count), range(count), strict=False)
        )


def _iterations(goes_on: Opcode, start: int, step: int, bound: int) -> int:
    """How often a counter passes its test."""
    if goes_on in (Opcode.GT, Opcode.GE):
        goes_on, start, step, bound = MIRRORED[goes_on], -start, -step, -bound
    if step <= 0 or goes_on not in (Opcode.LT, Opcode.LE):
        return 0
    distance = bound - start + (goes_on is Opcode.LE)
    return max(0, -(-distance // step))


def even_loop(loop: Loop, points_to: PointsTo, *, open_ended: bool) -> EvenLoop | None:
    """The loop as one that counts evenly; None where it is not, or where leaving out may mislead.

    Iterations of a loop with an assumed bound may go beyond the end of shared arrays.
    """
    inside = [operation for block in loop.blocks for operation in block.operations]
    if any(operation.opcode in _WAITING for operation in inside) or len(loop.exits) != 1:
        return None
    if open_ended and any(
        isinstance(each, MemoryAccess) and Space.SHARED in points_to.spaces(each) for each in inside
    ):
        return None
    steps = dict(_steps(loop))
    for block in loop.exits:
        last = block.terminator
        if not isinstance(last, Branch) or not isinstance(last.condition, Compare):
            return None
        stays = last.then in loop.blocks
        goes_on = last.condition.opcode if stays else NEGATED[last.condition.opcode]
        first, second = last.condition.operands[:2]
        for tested, bound, opcode in (
            (first, second, goes_on),
            (second, first, MIRRORED[goes_on]),
        ):
            found = _counter(unconverted(tested), steps)
            if found is not None and _stays(bound, loop):
                return EvenLoop(*found, opcode, bound, steps)
    return None


def _steps(loop: Loop) -> Iterator[tuple[Phi, tuple[Value, int]]]:
    """The phis that grow, or shrink, by the same amount each iteration."""
    header = loop.header
    for phi in header.phis:
        back = {
            operand
            for operand, block in zip(phi.operands, header.predecessors, strict=True)
            if block in loop.blocks
        }
        next_ = back.pop() if len(back) == 1 else None
        if not isinstance(next_, Operation) or next_.opcode not in (Opcode.ADD, Opcode.SUB):
            continue
        first, second = next_.operands
        if first is phi and _stays(second, loop):
            yield phi, (second, 1 if next_.opcode is Opcode.ADD else -1)
        elif second is phi and next_.opcode is Opcode.ADD and _stays(first, loop):
            yield phi, (first, 1)


def _counter(tested: Value, steps: dict[Phi, tuple[Value, int]]) -> tuple[Phi, bool] | None:
    """The phi that is tested, as it is or stepped already."""
    if isinstance(tested, Phi):
        return (tested, False) if tested in steps else None
    if isinstance(tested, Operation) and tested.opcode in (Opcode.ADD, Opcode.SUB):
        for phi, (step, _) in steps.items():
            if tested in phi.operands and set(tested.operands) == {phi, step}:
                return phi, True
    return None


def _stays(value: Value, loop: Loop) -> bool:
    """Whether a value is the same in every iteration."""
    work, seen = [value], {value}
    while work:
        each = work.pop()
        if not isinstance(each, Operation) or each.block not in loop.blocks:
            continue
        if isinstance(each, Phi | MemoryAccess):
            return False
        new = [operand for operand in each.operands if operand not in seen]
        seen.update(new)
        work += new
    return True
