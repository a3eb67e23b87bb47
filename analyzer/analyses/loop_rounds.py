"""The rounds of loops whose course is known: what their phis hold in each round, and for whom.

In: a loop nest, a launch, a warp. Out: for each combination of rounds the values of all header
phis and the lanes that are still in the loops, or None when a bound is not known. Used where a
symbol for the iteration will not do: `s >>= 1`, `stride *= 2`, `(column + k) & 7`, a loop that
lanes leave in different rounds.
A loop ends when no lane is left in it. A way out whose decision is not known (`break` on data) is
taken for not taken; the decision of the loop's own test must be known. More rounds than the limit
are cut off, and `complete` says so.
"""

from __future__ import annotations

from dataclasses import field, replace
from operator import and_, gt, or_
from typing import TYPE_CHECKING

from ..ir.memory import MemoryObject
from ..ir.operations import Operation
from ..ir.values import Parameter, Special, Unknown
from ..source.records import dataclass
from .control_flow import ControlEdge
from .guards import Guarded, Guards
from .lane_values import WARP, Division, LaneValue, Product
from .outcomes import Iteration

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from ..ir.block import Block
    from ..ir.values import Value
    from .control_flow import Loop
    from .facts import LaunchFacts
    from .guards import Mask
    from .warp_evaluator import Outcome, WarpEvaluator

Bound = dict["Value", "Outcome"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many rounds are looked at before the rest is cut off."""

    loop: int
    nest: int


SAMPLE = Limits(loop=64, nest=128)


@dataclass(frozen=True, slots=True)
class Round:
    """One round of each loop of a nest: by loop header the lanes still there; what they compute."""

    lanes: dict[Block, Guarded] = field(default_factory=dict)
    numbers: dict[Block, int] = field(default_factory=dict)  # of the round, by loop header
    bodies: dict[Block, Mask] = field(default_factory=dict)  # the lanes that pass the loop's test
    evaluator: WarpEvaluator | None = field(default=None, compare=False)  # of the innermost loop
    guards: Guards | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a nest in the order in which the warp makes them."""

    rounds: tuple[Round, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class _FromRound:
    """A symbol of an earlier round: the same operation may have another value in this one."""

    header: Block
    number: int
    name: Hashable


def rounds_of(
    facts: LaunchFacts,
    warp: int,
    nest: Sequence[Loop],
    limits: Limits = SAMPLE,
) -> Rounds | None:
    """The rounds of a nest, innermost loop first; None when the course of one is not known."""
    combined: list[Round] = [Round()]
    complete = True
    for loop in reversed(nest):
        extended: list[Round] = []
        for outer in combined:
            inner = _rounds_of_loop(facts, warp, loop, outer, limits.loop)
            if inner is None:
                return None
            complete = complete and inner.complete
            extended += inner.rounds
            if len(extended) > limits.nest:
                complete = False
                break
        combined = extended[: limits.nest]
    return Rounds(tuple(combined), complete)


@dataclass(frozen=True, slots=True)
class _Step:
    """One round of one loop: who is in it, what they compute, who leaves."""

    round: Round
    lanes: Guarded
    left: _Leaving

    @property
    def staying(self) -> Mask:
        """The lanes that make another round."""
        return _without(self.lanes.mask, self.left.mask)


def _course(
    facts: LaunchFacts, warp: int, loop: Loop, outer: Round, limit: int
) -> Iterator[_Step | None]:
    """The rounds of one loop; ends with None when its course is not known."""
    test = test_of(loop)
    if test is None or len(loop.latches) != 1:
        yield None
        return
    around = outer.evaluator or facts.evaluator(warp)
    before = facts.guards(around)
    varying = facts.facts.variance.of(loop)
    bound = first_round(around, loop)
    entering = {**outer.lanes, loop.header: Guarded((True,) * WARP)}
    lanes = Guards(facts.shape, around, entering, before, loop).of(loop.header)
    for number in range(limit):
        if not any(lanes.mask):
            return
        inside = {**outer.lanes, loop.header: lanes}
        evaluator = around.in_round(bound, varying)
        guards = evaluator.guards = Guards(facts.shape, evaluator, inside, before, loop)
        numbers = {**outer.numbers, loop.header: number}
        here = Round(inside, numbers, dict(outer.bodies), evaluator, guards)
        left = _leaving(guards, loop, test)
        if left is None:
            yield None
            return
        step = _Step(here, lanes, left)
        yield step
        lanes = Guarded(step.staying, lanes.assumed | left.assumed)
        bound = _next_round(evaluator, loop, number + 1)


def _rounds_of_loop(
    facts: LaunchFacts, warp: int, loop: Loop, outer: Round, limit: int
) -> Rounds | None:
    found: list[Round] = []
    staying: Mask = ()
    for step in _course(facts, warp, loop, outer, limit):
        if step is None:
            return None
        staying = step.staying
        body = _without(step.lanes.mask, step.left.by_test)
        if test_of(loop) is loop.header and not any(body):
            return Rounds(tuple(found), complete=True)
        step.round.bodies[loop.header] = body
        found.append(step.round)
    return Rounds(tuple(found), complete=not any(staying))


def exits_of(
    facts: LaunchFacts, around: WarpEvaluator, loop: Loop
) -> tuple[tuple[Mask, WarpEvaluator], ...] | None:
    """The lanes that leave a loop, round by round, and what they see there; None if not known."""
    found: list[tuple[Mask, WarpEvaluator]] = []
    staying: Mask = ()
    for step in _course(facts, around.warp, loop, Round(evaluator=around), SAMPLE.loop):
        if step is None or step.left.assumed or step.round.evaluator is None:
            return None
        staying = step.staying
        if any(step.left.mask):
            found.append((step.left.mask, step.round.evaluator))
    return None if any(staying) or not found else tuple(found)


def test_of(loop: Loop) -> Block | None:
    """The block that decides about another round: the header, else the latch."""
    for block in (loop.header, *loop.latches):
        if any(successor not in loop.blocks for successor in block.successors):
            return block
    return None


@dataclass(frozen=True, slots=True)
class _Leaving:
    """The lanes that leave a loop in one round, those of them that leave it at its test."""

    mask: Mask
    by_test: Mask
    assumed: frozenset[Block]  # ways out taken for not taken


def _leaving(guards: Guards, loop: Loop, test: Block) -> _Leaving | None:
    """Who leaves in this round; None when the decision of the loop's test is not known."""
    mask = by_test = (False,) * WARP
    assumed: set[Block] = set()
    for block in loop.exits:
        reached = guards.of(block)
        for target in block.successors:
            if target in loop.blocks:
                continue
            taken = guards.taken(ControlEdge(block, target))
            if taken is None and block is test:
                return None
            if taken is None:
                assumed.add(block)
                continue
            leaves = tuple(map(and_, reached.mask, taken))
            if not any(leaves):
                continue
            mask = tuple(map(or_, mask, leaves))
            if block is test and block not in loop.latches:
                by_test = tuple(map(or_, by_test, leaves))
    return _Leaving(mask, by_test, frozenset(assumed))


def _without(mask: Mask, left: Mask) -> Mask:
    return tuple(map(gt, mask, left)) if any(left) else mask


def first_round(evaluator: WarpEvaluator, loop: Loop) -> Bound:
    """What the header phis of a loop hold in its first round."""
    bound: Bound = {}
    for phi in loop.header.phis:
        for operand, predecessor in zip(phi.operands, loop.header.predecessors, strict=True):
            if predecessor not in loop.blocks:
                bound[phi] = evaluator.value_in(loop.header, operand)
    return bound


def _next_round(evaluator: WarpEvaluator, loop: Loop, number: int) -> Bound:
    """What the header phis hold in the round after the one the evaluator stands for."""
    position = loop.header.predecessors.index(loop.latches[0])
    bound: Bound = {}
    for phi in loop.header.phis:
        outcome = evaluator.value_in(loop.header, phi.operands[position])
        if isinstance(outcome, LaneValue):
            terms = tuple((_kept(loop, number, name), factor) for name, factor in outcome.terms)
            outcome = LaneValue(outcome.lanes, terms)
        bound[phi] = outcome
    return bound


def _kept(loop: Loop, number: int, name: Hashable) -> Hashable:
    """The name of a symbol in later rounds: what the loop computes has another value in each."""
    if isinstance(name, Product):
        return Product(tuple(_kept(loop, number, factor) for factor in name.factors))
    if isinstance(name, Division):
        terms = frozenset((_kept(loop, number, item), factor) for item, factor in name.terms)
        return replace(name, terms=terms)
    if isinstance(name, Parameter | MemoryObject | Special | Unknown):
        return name
    if isinstance(name, Operation) and name.block not in loop.blocks:
        return name
    if isinstance(name, Iteration) and name.header not in loop.blocks:
        return name
    if isinstance(name, _FromRound) and (
        name.header is loop.header or name.header not in loop.blocks
    ):
        return name
    return _FromRound(loop.header, number, name)
