"""The last iterations of a loop that counts evenly, so that the iterations between need not be run.

In: a loop, what all threads of a block hold at its header. Out: how many iterations can be left
out, and what the phis hold then: a phi that grows by the same amount each iteration is known, any
other is not. The loop has one test, of such a phi against a value from outside of it, and nothing
in it that threads wait for. As many iterations are left out as the first thread to leave can spare.
Not handled: loops that count by factors, tests of several counters.
"""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING

from ...ir.arithmetic import wrap
from ...ir.memory import Space
from ...ir.operations import (
    MemoryAccess,
    Opcode,
    Phi,
)
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
_WAITING = frozenset({Opcode.BARRIER, Opcode.WARP, Opcode.FENCE, Opcode.CALL, Opcode.OPAQUE})


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

    def skipped(self, of: ValueOf, threads: Threads, count: int) -> int:
        """How many iterations can be left out from here; 0 where it is not known."""
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
                return 0
            iterations = trip_count(self.goes_on, start + by * self.ahead, by, bound)
            least = iterations if least is None else min(least, iterations)
        return max(0, (least or 0) - TAIL)

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
    if any(operation.opcode in _WAITING for operation in inside) or len(loop.exits) != 1:
        return None
    if open_ended and any(
        isinstance(each, MemoryAccess) and Space.SHARED in points_to.spaces(each) for each in inside
    ):
        return None
    counters = {phi: counts for phi in loop.header.phis if (counts := induction(flow, phi))}
    steps = {phi: counts.steps for phi, counts in counters.items()}
    for test in loop_tests(loop):
        for phi in steps:
            ahead = phi is not test.tested
            if ahead and (test.tested is counters[phi].first or test.tested not in phi.operands):
                continue
            if is_invariant(test.bound, loop):
                return EvenLoop(phi, ahead, test.opcode, test.bound, steps)
    return None
