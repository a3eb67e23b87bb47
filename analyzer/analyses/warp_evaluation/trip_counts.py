"""How often a warp goes through a loop, by a formula: no iteration is looked at.

In: a loop with one way out, whose counter grows by the same in every iteration, and a warp of a
launch. Out: the iterations of the lane that stays longest, from the numbers that the counter
begins with, is stepped by and is compared with, whatever formulas of arguments and indices these
are; None where one of them is not a number. Example: of `for (int i = t; i < w * h; i += 32)`,
launched with w = h = 256, a warp makes 2,048 iterations. Not handled: tests with `!=`, counters
that halve or double (`loop_iterations.py` steps through those, as far as they are short).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode, unconverted
from ..dataflow.induction import induction, is_invariant, loop_tests, trip_count
from .lane_values import LaneValue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...ir.operations import Phi
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..dataflow.induction import Induction, LoopTest
    from .facts import WarpLaunch

_UP = (Opcode.LT, Opcode.LE)
_DOWN = (Opcode.GT, Opcode.GE)
_MOST = 1 << 31  # iterations: more come of numbers that wrap around


def counted_trips(launch: WarpLaunch, warp: int, loop: Loop) -> int | None:
    """How often the body of a loop runs in a warp each time that it comes there; None if not
    known.
    """
    if len(loop.exits) != 1 or len(loop.latches) != 1:
        return None
    flow = launch.facts.flow
    evaluator = launch.evaluator(warp)

    def numbers(value: Value) -> tuple[int, ...] | None:
        found = evaluator.value_in(loop.header, value)
        return found.lanes if isinstance(found, LaneValue) and found.is_number else None

    for test in loop_tests(loop):
        if not is_invariant(test.bound, loop):
            continue
        for phi in loop.header.phis:
            moves = induction(flow, phi)
            ahead = None if moves is None else _ahead(loop, test, phi)
            if moves is not None and ahead is not None:
                mask = launch.guards(evaluator).of(loop.header).mask
                return _longest(numbers, test, moves, mask, ahead=ahead)
    return None


def _ahead(loop: Loop, test: LoopTest, phi: Phi) -> bool | None:
    """Whether a counter is tested after it was stepped, behind the body; None where it is not what
    is tested, or where what is tested and when do not go together.
    """
    first = loop.exits[0] is loop.header and loop.header not in loop.latches
    if test.tested is phi:
        return False if first else None
    back = loop.header.predecessors.index(loop.latches[0])
    behind = loop.exits[0] in loop.latches and test.tested is unconverted(phi.operands[back])
    return True if behind else None


def _longest(
    numbers: Callable[[Value], tuple[int, ...] | None],
    test: LoopTest,
    moves: Induction,
    mask: Sequence[bool],
    *,
    ahead: bool,
) -> int | None:
    """The iterations of the lane that stays longest."""
    starts, bounds = numbers(moves.first), numbers(test.bound)
    steps = [(numbers(step), sign) for step, sign in moves.steps]
    if starts is None or bounds is None:
        return None
    longest = 0
    for lane in (lane for lane, active in enumerate(mask) if active):
        step = 0
        for each, sign in steps:
            if each is None:
                return None
            step += each[lane] * sign
        if test.opcode not in (_UP if step > 0 else _DOWN) or not step:
            return None
        start = starts[lane] + step * ahead
        longest = max(longest, trip_count(test.opcode, start, step, bounds[lane]) + ahead)
    return longest if longest < _MOST else None
