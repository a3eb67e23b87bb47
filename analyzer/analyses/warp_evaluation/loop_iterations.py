"""The iterations of loops whose trip count is known: what their phis hold in each iteration, and
for whom.

In: a loop nest, a launch, a warp. Out: for each combination of iterations the values of all header
phis and the lanes that are still in the loops, or None when a bound is not known. Used where a
symbol for the iteration will not do: `s >>= 1`, `stride *= 2`, `(column + k) & 7`, a loop that
lanes leave in different iterations. A loop ends when no lane is left in it. A way out whose
decision is not known (`break` on data) is taken for not taken; the decision of the loop's own test
must be known. More iterations than the limit are cut off, and `complete` says so.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from ...ir.memory import MemoryObject
from ...ir.operations import Operation, Phi
from ...ir.values import Parameter, Special, Unknown
from ...source.records import dataclass
from .guards import Guarded, Guards
from .iteration_spans import Span, UndecidedError
from .iterations import Inside, Iteration, Iterations, Run, bound_at
from .lane_ranges import decide
from .lane_values import WARP, Division, LaneValue, Product, add, subtract, tidy
from .leaving_lanes import leaving_lanes, test_of, without
from .outcomes import IterationNumber, Unevaluable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from ...ir.block import Block
    from ..dataflow.control_flow import Loop
    from .facts import WarpLaunch
    from .guards import Mask
    from .iterations import Bound
    from .lane_ranges import Range
    from .leaving_lanes import LeavingLanes
    from .warp_evaluator import Outcome, WarpEvaluator

_MOST_NESTED = 100  # loops behind loops whose ends depend on each other


@dataclass(frozen=True, slots=True)
class Limits:
    """How many iterations of a warp's loops are looked at before the rest is cut off."""

    loop: int
    nest: int


SAMPLE = Limits(loop=64, nest=128)
_TRIALS = 4  # to find how many iterations can be looked at together
_NOT_ASKED = Unevaluable("nothing depends on it")


@dataclass(frozen=True, slots=True)
class _FromIteration:
    """A symbol of an earlier iteration: the same operation may have another value in this one."""

    header: Block
    number: int
    name: Hashable


def iterations_of(
    facts: WarpLaunch,
    warp: int,
    nest: Sequence[Loop],
    limits: Limits = SAMPLE,
) -> Iterations | None:
    """The iterations that a warp makes of a loop nest, given innermost loop first; None when not
    known.
    """
    runs = [Run(Iteration())]
    complete = True
    for loop in reversed(nest):
        extended: list[Run] = []
        count = 0
        together: dict[Inside, Iterations | None] = {}
        for outer in chain.from_iterable(runs):
            inner = _iterations_together(facts, loop, outer, limits.loop, together)
            if inner is None:
                around = outer.own or facts.evaluator(warp)
                inner = _iterations_of_loop(facts, loop, around, outer, limits.loop)
            if inner is None:
                return None
            complete = complete and inner.complete
            extended += inner.runs
            count += inner.count
            if count > limits.nest:
                complete = False
                break
        runs = _cut(extended, count - limits.nest)
    return Iterations(tuple(runs), complete)


def _cut(runs: list[Run], surplus: int) -> list[Run]:
    """The runs without so many iterations at their end."""
    while surplus > 0:
        last = runs.pop()
        if last.count > surplus:
            runs.append(replace(last, count=last.count - surplus))
        surplus -= last.count
    return runs


def _iterations_together(
    facts: WarpLaunch,
    loop: Loop,
    outer: Iteration,
    limit: int,
    known: dict[Inside, Iterations | None],
) -> Iterations | None:
    """The iterations of an inner loop in one of several iterations that were computed at once.

    They are found once and kept in `known`; None when they are not the same in any of these
    iterations.
    """
    alike = outer.alike
    while alike is not None:
        if alike not in known:
            try:
                known[alike] = _iterations_of_loop(
                    facts, loop, alike, Iteration(outer.lanes), limit
                )
            except UndecidedError:
                known[alike] = None
        inner = known[alike]
        if inner is not None:
            found = tuple(replace(run, first=_within(outer, run.first)) for run in inner.runs)
            return Iterations(found, inner.complete)
        alike = alike.half(outer.numbers)
    return None


def _within(outer: Iteration, inner: Iteration) -> Iteration:
    """An iteration of the inner loop in one of the iterations around it."""
    alike = inner.alike or inner.own
    assert alike is not None
    numbers, bodies = {**outer.numbers, **inner.numbers}, {**outer.bodies, **inner.bodies}
    return Iteration(inner.lanes, numbers, bodies, alike=alike, around=outer)


@dataclass(frozen=True, slots=True)
class _Step:
    """One iteration of one loop, or several that are alike: who is in it, what they compute, who
    leaves.
    """

    iteration: Iteration
    lanes: Guarded
    left: LeavingLanes
    count: int = 1

    @property
    def staying(self) -> Mask:
        """The lanes that make another iteration."""
        return without(self.lanes.mask, self.left.mask)


def _steps_of(
    facts: WarpLaunch, loop: Loop, around: WarpEvaluator | Inside, outer: Iteration, limit: int
) -> Iterator[_Step | None]:
    """The iterations of one loop; ends with None when their number is not known."""
    test = test_of(loop)
    if test is None or len(loop.latches) != 1:
        yield None
        return
    outside = around.evaluator if isinstance(around, Inside) else around
    asked = facts.facts.variance.asked
    bound = first_iteration(outside, loop, asked)
    entering = {**outer.lanes, loop.header: Guarded((True,) * WARP)}
    lanes = Guards(facts.shape, outside, entering, facts.guards(outside), loop).of(loop.header)
    number, again = 0, 1
    before: Bound = {}
    while number < limit:
        if not any(lanes.mask):
            return
        if facts.facts.budget.used_up:  # loops behind loops, which each ask for those before
            yield None
            return
        inside = Inside(facts, loop, {**outer.lanes, loop.header: lanes}, bound, around)
        if number >= again:
            alike = _alike(inside, test, before, number, limit)
            again = 2 * number if alike is None else alike.last + 2
            if alike is not None:
                one = _one_of(alike.inside, outer, number)
                yield _Step(one, lanes, alike.left, alike.last + 1 - number)
                number, bound = alike.last + 1, alike.next
                continue
        numbers = {**outer.numbers, loop.header: number}
        here = Iteration(inside.lanes, numbers, dict(outer.bodies), inside)
        left = leaving_lanes(inside.guards, loop, test)
        if left is None:
            yield None
            return
        step = _Step(here, lanes, left)
        yield step
        lanes = Guarded(step.staying, lanes.assumed | left.assumed)
        before, bound = bound, _next_iteration(inside.evaluator, loop, number + 1, asked)
        number += 1


def _one_of(alike: Inside, outer: Iteration, number: int) -> Iteration:
    """One of several iterations that were computed at once."""
    numbers = {**outer.numbers, alike.loop.header: number}
    return Iteration(alike.lanes, numbers, dict(outer.bodies), alike=alike, around=alike.around)


@dataclass(frozen=True, slots=True)
class _Alike:
    """Iterations that nobody leaves, computed at once, and what the phis hold behind the last."""

    inside: Inside
    last: int
    left: LeavingLanes
    next: Bound


def _alike(first: Inside, test: Block, before: Bound, number: int, limit: int) -> _Alike | None:
    """The iterations from the first on in which all decisions about leaving are the same.

    Phis that moved by one number from the last round to this one are taken to go on so, which
    is then shown: from what they hold in any of the iterations follows what they hold in the next.
    """
    loop, last = first.loop, limit - 1
    for _ in range(_TRIALS):
        if last <= number:
            return None
        span = Span(loop.header, number, last)
        moving = _moving(before, first.bound, span)
        if moving is None:
            return None
        inside = Inside(first.facts, loop, first.lanes, moving, first.around, span)
        try:
            left = leaving_lanes(inside.guards, loop, test)
            if left is None or any(left.mask):
                return None
            if not left.assumed <= first.lanes[loop.header].assumed:
                return None
            behind = _behind(inside, span, before, first.bound)
        except UndecidedError as reason:
            last = _last_decided(reason, inside.evaluator, span)
            continue
        return None if behind is None else _Alike(inside, last, left, behind)
    return None


def _last_decided(reason: UndecidedError, evaluator: WarpEvaluator, span: Span) -> int:
    """The last round up to which a comparison has the same outcome as in the first."""
    if reason.comparison is None:
        return span.first + (span.last - span.first) // 2
    opcode, difference = reason.comparison
    low, high = span.first - 1, span.last  # no iteration before the first is known to do

    def upto(last: int) -> Callable[[Hashable], Range | None]:
        return lambda name: (span.first, last) if name is span else evaluator.range_of(name)

    while high - low > 1:
        middle = (low + high) // 2
        known = decide(opcode, difference, upto(middle)) if middle >= span.first else None
        low, high = (low, middle) if known is None else (middle, high)
    return low


def _step(before: Outcome, now: Outcome) -> tuple[int, ...] | None:
    """How far each lane moves in one iteration; None when that is not a number."""
    if isinstance(before, LaneValue) and isinstance(now, LaneValue):
        moved = subtract(now, before)
        return moved.lanes if moved.is_number else None
    return None


def _moving(before: Bound, bound: Bound, span: Span) -> Bound | None:
    """What phis hold in any of the iterations; None when one does not move by a number."""
    moving: Bound = {}
    for phi, now in bound.items():
        if isinstance(now, Unevaluable) and isinstance(before[phi], Unevaluable):
            moving[phi] = now
            continue
        step = _step(before[phi], now)
        if step is None or not isinstance(now, LaneValue):
            return None
        each = LaneValue(tuple([-span.first * move for move in step]), ((span, tidy(step)),))
        moving[phi] = add(now, each) if any(step) else now
    return moving


def _behind(inside: Inside, span: Span, before: Bound, bound: Bound) -> Bound | None:
    """What phis hold behind the last iteration; None when they do not go on as they did."""
    after: Bound = {}
    loop = inside.loop
    position = loop.header.predecessors.index(loop.latches[0])
    for phi, held in inside.bound.items():
        assert isinstance(phi, Phi)
        if held is _NOT_ASKED:
            after[phi] = held
            continue
        behind = inside.evaluator.value_in(loop.header, phi.operands[position])
        after[phi] = behind
        if isinstance(held, Unevaluable):
            if isinstance(behind, LaneValue):
                return None
            continue
        step = _step(before[phi], bound[phi])
        if step is None or not isinstance(behind, LaneValue):
            return None
        expected = add(held, LaneValue(step))
        if behind.lanes != expected.lanes or dict(behind.terms) != dict(expected.terms):
            return None
    return bound_at(after, {span.header: span.last})


def _iterations_of_loop(
    facts: WarpLaunch, loop: Loop, around: WarpEvaluator | Inside, outer: Iteration, limit: int
) -> Iterations | None:
    found: list[Run] = []
    tested_first = test_of(loop) is loop.header
    staying: Mask = ()
    for step in _steps_of(facts, loop, around, outer, limit):
        if step is None:
            return None
        staying = step.staying
        body = without(step.lanes.mask, step.left.by_test)
        if tested_first and not any(body):
            return Iterations(tuple(found), complete=True)
        step.iteration.bodies[loop.header] = body
        found.append(Run(step.iteration, loop.header, step.count))
    return Iterations(tuple(found), complete=not any(staying))


def exits_of(
    facts: WarpLaunch, around: WarpEvaluator, loop: Loop
) -> tuple[tuple[Mask, WarpEvaluator], ...] | None:
    """The lanes of a warp that leave a loop, iteration by iteration, and what they see there; None
    if not known.
    """
    budget = facts.facts.budget
    if budget.nested >= _MOST_NESTED:
        return None
    budget.nested += 1
    try:
        return _exits(facts, around, loop)
    finally:
        budget.nested -= 1


def _exits(
    facts: WarpLaunch, around: WarpEvaluator, loop: Loop
) -> tuple[tuple[Mask, WarpEvaluator], ...] | None:
    found: list[tuple[Mask, WarpEvaluator]] = []
    staying: Mask = ()
    for step in _steps_of(facts, loop, around, Iteration(), SAMPLE.loop):
        if step is None or step.left.assumed:
            return None
        staying = step.staying
        if any(step.left.mask):
            assert step.iteration.evaluator is not None
            found.append((step.left.mask, step.iteration.evaluator))
    return None if any(staying) or not found else tuple(found)


def first_iteration(
    evaluator: WarpEvaluator, loop: Loop, asked: frozenset[Operation] | None = None
) -> Bound:
    """What the header phis of a loop hold in the lanes of a warp in its first iteration; those that
    are `asked` for.
    """
    bound: Bound = {}
    for phi in loop.header.phis:
        if asked is not None and phi not in asked:
            bound[phi] = _NOT_ASKED
            continue
        for operand, predecessor in zip(phi.operands, loop.header.predecessors, strict=True):
            if predecessor not in loop.blocks:
                bound[phi] = evaluator.value_in(loop.header, operand)
    return bound


def _next_iteration(
    evaluator: WarpEvaluator, loop: Loop, number: int, asked: frozenset[Operation]
) -> Bound:
    """What the header phis hold in the iteration after the one the evaluator stands for."""
    position = loop.header.predecessors.index(loop.latches[0])
    bound: Bound = {}
    for phi in loop.header.phis:
        if phi not in asked:
            bound[phi] = _NOT_ASKED
            continue
        outcome = evaluator.value_in(loop.header, phi.operands[position])
        if isinstance(outcome, LaneValue):
            terms = tuple((_kept(loop, number, name), factor) for name, factor in outcome.terms)
            outcome = LaneValue(outcome.lanes, terms)
        bound[phi] = outcome
    return bound


def _kept(loop: Loop, number: int, name: Hashable) -> Hashable:
    """The name of a symbol in later iterations: in each it stands for another value."""
    if isinstance(name, Product):
        return Product(tuple(_kept(loop, number, factor) for factor in name.factors))
    if isinstance(name, Division):
        terms = frozenset((_kept(loop, number, item), factor) for item, factor in name.terms)
        return replace(name, terms=terms)
    if isinstance(name, Parameter | MemoryObject | Special | Unknown | Span):
        return name
    if isinstance(name, Operation) and name.block not in loop.blocks:
        return name
    if isinstance(name, IterationNumber) and name.header not in loop.blocks:
        return name
    if isinstance(name, _FromIteration) and (
        name.header is loop.header or name.header not in loop.blocks
    ):
        return name
    return _FromIteration(loop.header, number, name)
