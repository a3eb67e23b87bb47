"""Iterations of loops whose trip count is known, against loops that are run."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue
from warplint.analyzer.analyses.warp_evaluation.loop_iterations import (
    Limits,
    first_iteration,
    iterations_of,
)
from warplint.analyzer.analyses.warp_evaluation.loop_iterations import test_of as deciding_block

#: A step, and what it makes of a number.
STEPS = {
    "i += 3": lambda i: i + 3,
    "i++": lambda i: i + 1,
    "i *= 2": lambda i: i * 2,
    "i += 32": lambda i: i + 32,
}


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(STEPS)), st.sampled_from(["1", "t + 1", "t / 4 + 1", "2 * t + 1"]),
    st.integers(0, 60), st.booleans(),
)  # fmt: skip
def test_who_makes_which_iteration(step: str, first: str, last: int, at_end: bool) -> None:
    if at_end:
        body = f"int i = {first}; do {{ p[i] = i; {step}; }} while (i < {last});"
    else:
        body = f"for (int i = {first}; i < {last}; {step}) p[i] = i;"
    expected: list[dict[int, int]] = []
    for lane in range(32):
        i = eval(first.replace("/", "//"), {"t": lane})
        number = 0
        while i < last or (at_end and number == 0):
            if number == len(expected):
                expected.append({})
            expected[number][lane] = i
            i, number = STEPS[step](i), number + 1
    facts = body_facts(f"int t = threadIdx.x; {body}")
    (access,) = facts.accesses
    assert access.block is not None
    found = iterations_of(facts.launches[0], 0, facts.flow.loop_nest(access.block))
    assert found is not None
    assert found.complete
    made = []
    for iteration in found.each:
        assert iteration.evaluator is not None
        assert iteration.guards is not None
        value = iteration.evaluator.value(access.operands[1])
        assert isinstance(value, LaneValue)
        mask = iteration.guards.of(access.block).mask
        made.append({lane: value.lanes[lane] for lane in range(32) if mask[lane]})
    assert [each for each in made if each] == expected


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("for (int i = 0; i < 9; i++) p[i] = 1;", True),
        ("for (int i = 0; i < n; i++) p[i] = 1;", False),
        ("for (int i = 0; i < p[9]; i++) p[i] = 1;", False),
        ("for (int i = 0; i < 9; i += n) p[i] = 1;", False),
    ],
)
def test_trip_counts_that_are_known(body: str, *, known: bool) -> None:
    facts = body_facts(body)
    access = next(each for each in facts.accesses if each.writes)
    assert access.block is not None
    found = iterations_of(facts.launches[0], 0, facts.flow.loop_nest(access.block))
    assert (found is not None and found.complete) is known


def test_nests_are_all_combinations_and_limits_cut_them_off() -> None:
    facts = body_facts("for (int i = 0; i < 3; i++) for (int j = 0; j < i; j++) p[i * 9 + j] = 1;")
    (access,) = facts.accesses
    assert access.block is not None
    nest = facts.flow.loop_nest(access.block)
    found = iterations_of(facts.launches[0], 0, nest)
    assert found is not None
    numbers = [tuple(each.numbers.values()) for each in found.each]
    assert {(1, 0), (2, 0), (2, 1)} <= set(numbers)
    cut = iterations_of(facts.launches[0], 0, nest, limits=Limits(2, 2))
    assert cut is None or not cut.complete


def test_the_block_that_tests_and_the_first_values() -> None:
    for body, in_header in (
        ("for (int i = 4; i < 9; i++) p[i] = 1;", True),
        ("int i = 4; do { p[i] = 1; i++; } while (i < 9);", False),
    ):
        facts = body_facts(body)
        (loop,) = facts.flow.loops
        test = deciding_block(loop)
        assert test is not None
        assert any(successor not in loop.blocks for successor in test.successors)
        assert in_header is (test is loop.header) or test in loop.latches
        bound = first_iteration(facts.launches[0].evaluator(0), loop)
        assert [v.lanes[0] for v in bound.values() if isinstance(v, LaneValue)] == [4]
