"""The last iterations of a loop that counts evenly, so that the iterations between need not be run.

In: a loop, what all threads of a block hold at its header. Out: how many iterations can be left
out, and what the phis hold then: a phi that grows by the same amount each iteration, or that all
threads halve or double alike, is known, any other is not. The loop has one test, of such a phi
against a value from outside of it. As many iterations are left out as the first thread to leave can
spare; threads may have waited in them, which the run has to say.
Not handled: tests of several counters, factors that differ between threads.
"""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING

from ...ir.arithmetic import evaluate, wrap
from ...ir.memory import Space
from ...ir.operations import (
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...ir.types import PREDICATE
from ...ir.values import Constant
from ...source.records import dataclass
from ..dataflow.induction import induction, is_invariant, loop_tests, trip_count
from .per_thread import PerThread
from .thread_vectors import entries, numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow, Loop
    from ..pointers.points_to import PointsTo
    from .thread_vectors import Threads, Vector

    ValueOf = Callable[[Value], Vector]  # what the threads have for a value

TAIL = 2  # iterations before the end that are run
_UNREAD = frozenset({Opcode.WARP, Opcode.FENCE, Opcode.CALL, Opcode.OPAQUE})
_SCALING = frozenset({Opcode.MUL, Opcode.DIV, Opcode.SHL, Opcode.SHR})
_MOST_SCALED = 64  # iterations: as often as a number can be halved


@dataclass(frozen=True, slots=True)
class EvenLoop:
    """A loop of a run that goes on while a counter compares so with a bound; each phi with its
    step.
    """

    counter: Phi
    ahead: bool  # whether the counter is tested after it was stepped
    goes_on: Opcode
    bound: Value
    steps: dict[Phi, tuple[tuple[Value, int], ...]]  # what each iteration adds, with its sign
    scales: dict[Phi, tuple[Opcode, int]]  # what each iteration multiplies by, divides or shifts

    def skipped(self, of: ValueOf, threads: Threads, count: int) -> int | None:
        """How many iterations can be left out from here, 0 of the last ones; None where it is not
        known.
        """
        if self.counter in self.scales:
            return self._scaled_iterations(of(self.counter), of(self.bound))
        starts, steps, bounds = (
            list(entries(each, count))
            for each in (
                of(self.counter), self._step(self.counter, of, count),
                of(self.bound),
            )
        )  # fmt: skip
        least: int | None = None
        # Most threads count alike.
        alike = {(starts[each], steps[each], bounds[each]) for each in numbers(threads, count)}
        for start, by, bound in alike:
            if start is None or by is None or bound is None:
                return None
            iterations = trip_count(self.goes_on, start + by * self.ahead, by, bound)
            least = iterations if least is None else min(least, iterations)
        return max(0, least - TAIL) if least else None

    def _scaled_iterations(self, number: Vector, bound: Vector) -> int | None:
        """The same for a counter that is halved or doubled, if all threads hold the same."""
        if not isinstance(number, int) or not isinstance(bound, int):
            return None
        for done in range(_MOST_SCALED):
            tested = self._scaled(self.counter, number) if self.ahead else number
            if not evaluate(self.goes_on, PREDICATE, (tested, bound)):
                return max(0, done - TAIL)
            number = self._scaled(self.counter, number)
        return None

    def _scaled(self, phi: Phi, number: int) -> int:
        """What a number is in the next iteration."""
        opcode, factor = self.scales[phi]
        return evaluate(opcode, phi.type, (number, factor)) or 0

    def _step(self, phi: Phi, of: ValueOf, count: int) -> Vector:
        """What one iteration adds to a phi."""
        signed = [(of(step), sign) for step, sign in self.steps[phi]]
        if any(each is None for each, _ in signed):
            return None
        if all(isinstance(each, int) for each, _ in signed):
            return sum(each * sign for each, sign in signed if isinstance(each, int))
        columns = [entries(each, count) for each, _ in signed]
        signs = [sign for _, sign in signed]
        rows = zip(*columns, strict=True)
        sums = (None if None in row else sum(map(mul, row, signs)) for row in rows)
        return PerThread(tuple(sums))

    def moved(self, phi: Phi, of: ValueOf, iterations: int, count: int) -> Vector:
        """What a phi holds that many iterations later."""
        if phi in self.scales:
            number = of(phi)
            if not isinstance(number, int):
                return None
            for _ in range(iterations):
                number = self._scaled(phi, number)
            return number
        if phi not in self.steps:
            return None
        held, by = of(phi), self._step(phi, of, count)
        if held is None or by is None:
            return None
        if isinstance(held, int) and isinstance(by, int):
            return wrap(held + iterations * by, phi.type)
        pairs = zip(entries(held, count), entries(by, count), strict=False)
        moved = (
            None if a is None or b is None else wrap(a + iterations * b, phi.type) for a, b in pairs
        )
        return PerThread(tuple(moved))


def even_loop(
    flow: ControlFlow, loop: Loop, points_to: PointsTo, *, open_ended: bool
) -> EvenLoop | None:
    """The loop as one that counts evenly, whose middle iterations a run leaves out; None where it
    is not, or where leaving out may mislead.

    Iterations of a loop with an assumed bound may go beyond the end of shared arrays.
    """
    inside = [operation for block in loop.blocks for operation in block.operations]
    if any(operation.opcode in _UNREAD for operation in inside) or len(loop.exits) != 1:
        return None
    if open_ended and any(
        isinstance(each, MemoryAccess) and Space.SHARED in points_to.spaces(each) for each in inside
    ):
        return None
    counters = {phi: counts for phi in loop.header.phis if (counts := induction(flow, phi))}
    steps = {phi: counts.steps for phi, counts in counters.items()}
    scales = {phi: scale for phi in loop.header.phis if (scale := scaling(phi))}
    for test in loop_tests(loop):
        for phi in (*steps, *scales):
            ahead = phi is not test.tested
            first = counters[phi].first if phi in counters else None
            if ahead and (test.tested is first or test.tested not in phi.operands):
                continue
            if is_invariant(test.bound, loop):
                return EvenLoop(phi, ahead, test.opcode, test.bound, steps, scales)
    return None


def scaling(phi: Phi) -> tuple[Opcode, int] | None:
    """What each iteration does to a number that it halves or doubles, and by how much."""
    for value in map(unconverted, phi.operands):
        if isinstance(value, Operation) and value.opcode in _SCALING:
            start, factor = value.operands
            if unconverted(start) is not phi or not isinstance(factor, Constant):
                continue
            if isinstance(factor.value, int):
                return value.opcode, factor.value
    return None
