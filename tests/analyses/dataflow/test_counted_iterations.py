"""Iterations by a formula, against the same loops run on numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.dataflow.counted_iterations import Plan, counter_of
from warplint.analyzer.ir.operations import Branch

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts

_COMPARED = st.sampled_from(("<", "<=", ">", ">="))
_TYPES = st.sampled_from(("int", "unsigned", "signed char", "unsigned char", "long long", "short"))
_NUMBERS = st.integers(-140, 300)
_MOST = 400


def plan_of(facts: KernelFacts) -> Plan:
    """What runs the outermost loop of a kernel."""
    loop = next(each for each in facts.flow.loops if each.parent is None)
    last = loop.header.terminator
    assert isinstance(last, Branch)
    return Plan([*loop.header.phis], loop, last, counter_of(facts.flow, loop))


def run(facts: KernelFacts, most: int) -> tuple[int | None, int]:
    """The number of iterations by the formula, and by running them, `most` and one at most."""
    loop = next(each for each in facts.flow.loops if each.parent is None)
    last = loop.header.terminator
    assert isinstance(last, Branch)
    plan = plan_of(facts)
    numbers = plan.with_phis({}, plan.entering.results({}))
    said, count = plan.times(numbers), 0
    while count <= most:
        decided, *following = plan.iterating.results(numbers)
        assert decided is not None
        if bool(decided) != (last.then in loop.blocks):
            break
        count += 1
        numbers = plan.with_phis({}, following)
    return said, count


@given(_TYPES, _NUMBERS, _COMPARED, _NUMBERS, st.integers(-40, 40))
def test_the_formula_says_what_running_the_loop_says(
    type: str, first: int, compared: str, bound: int, step: int
) -> None:
    loop = f"for ({type} i = {first}; i {compared} {bound}; i += {step}) p[i & 7] = n;"
    facts = body_facts(loop, parameters="int *p, int n")
    if not facts.flow.loops:
        return  # the header's test is a constant
    said, count = run(facts, _MOST)
    assert said is None or min(said, _MOST + 1) == count


@pytest.mark.parametrize(
    ("loop", "times"),
    [
        ("for (int i = 2; i < 11; i += 3) p[i] = n;", 3),
        ("for (int i = 0; 10 > i; ++i) p[i] = n;", 10),
        ("for (int i = 9; i >= 0; --i) p[i] = n;", 10),
        ("for (int i = 0; i < 1000000; ++i) p[i] = n;", 1_000_000),
        ("for (int i = 0; i != 8; ++i) p[i] = n;", None),
        ("for (int i = 1; i < 64; i *= 2) p[i] = n;", None),
        ("for (unsigned i = 9; i >= 0; --i) p[i & 7] = n;", None),
        ("for (signed char i = 0; i < 128; ++i) p[i & 7] = n;", None),
        ("for (int i = 0; i < n; ++i) p[i] = n;", None),
    ],
)
def test_the_formula_speaks_where_a_counter_moves_by_the_same_and_ends(
    loop: str, times: int | None
) -> None:
    plan = plan_of(body_facts(loop, parameters="int *p, int n"))
    assert plan.times(plan.with_phis({}, plan.entering.results({}))) == times
