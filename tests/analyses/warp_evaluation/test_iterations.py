"""Iterations computed at once, taken apart where they must be looked at more closely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import body_facts

from warplint.analyzer.analyses.warp_evaluation.iteration_spans import Span
from warplint.analyzer.analyses.warp_evaluation.iterations import Iteration, bound_at
from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue, constant
from warplint.analyzer.ir.block import Block
from warplint.analyzer.ir.operations import Phi

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts

BODY = "for (int i = 0; i < 20; i++) p[threadIdx.x + i * 3] = i;"


def iterations(facts: KernelFacts) -> list[Iteration]:
    (access,) = facts.accesses
    assert access.block is not None
    found = facts.launches[0].iterations(0, facts.flow.loop_nest(access.block))
    assert found is not None
    assert found.complete
    return list(found.each)


def test_each_iteration_computes_what_it_would_alone() -> None:
    facts = body_facts(BODY)
    (access,) = facts.accesses
    for number, iteration in enumerate(iterations(facts)):
        assert list(iteration.numbers.values()) == [number]
        evaluator = iteration.evaluator
        assert evaluator is not None
        assert iteration.guards is facts.launches[0].guards(evaluator)
        assert evaluator.value(access.operands[1]) == constant(number)


def test_several_are_halved_until_few_are_left() -> None:
    alike = next(each.alike for each in iterations(body_facts(BODY)) if each.alike is not None)
    header = alike.loop.header
    assert alike.span is not None
    for number in (alike.span.first, alike.span.last):
        part, lengths = alike, []
        while (half := part.half({header: number})) is not None:
            assert half.span is not None
            assert half.span.first <= number <= half.span.last
            lengths.append(half.span.last - half.span.first + 1)
            part = half
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[-1] < 4
    assert alike.half({header: alike.span.first}) is alike.half({header: alike.span.first})


def test_an_iteration_outside_of_all_loops_computes_nothing() -> None:
    nowhere = Iteration()
    assert nowhere.own is None
    assert nowhere.evaluator is None
    assert nowhere.guards is None


def test_what_phis_hold_in_one_of_several() -> None:
    header = Block("0")
    span = Span(header, 2, 9)
    phi = next(e for e in body_facts(BODY).kernel.operations() if isinstance(e, Phi))
    moving = LaneValue((5,) * 32, ((span, 3),))
    assert bound_at({phi: moving}, {header: 4})[phi] == constant(17)
    assert bound_at({phi: constant(7)}, {header: 4})[phi] == constant(7)
