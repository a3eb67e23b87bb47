"""Trip counts by a formula, against loops that are run."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.trip_counts import counted_trips


@settings(max_examples=40)
@given(
    st.sampled_from(["1", "t", "t / 4 + 1", "40 - t"]),
    st.sampled_from(["i < {}", "i <= {}", "i > {}"]),
    st.integers(-70, 300), st.sampled_from([1, 3, 32]), st.booleans(),
)  # fmt: skip
def test_as_often_as_the_lane_that_stays_longest(
    first: str, test: str, last: int, step: int, at_end: bool
) -> None:
    step = -step if ">" in test else step
    condition = test.format(last)
    if at_end:
        body = f"int i = {first}; do {{ p[i] = i; i += {step}; }} while ({condition});"
    else:
        body = f"for (int i = {first}; {condition}; i += {step}) p[i] = i;"
    longest = 0
    for lane in range(32):
        i, number = eval(first.replace("/", "//"), {"t": lane}), 0
        while eval(condition, {"i": i}) or (at_end and number == 0):
            i, number = i + step, number + 1
        longest = max(longest, number)
    facts = body_facts(f"int t = threadIdx.x; {body}")
    (loop,) = facts.flow.loops
    assert counted_trips(facts.launches[0], 0, loop) == longest


LAUNCH = "void f(float *p) { int w = 256, h = 256; k<<<1, 64>>>(p, w, h); }"


@pytest.mark.parametrize(
    ("loop", "times"),
    [
        ("for (int i = 0; i < w * h; i++) p[i] = 1;", 65536),
        ("for (int i = threadIdx.x; i < w * h / 2; i += blockDim.x) p[i] = 1;", 512),
        ("for (int i = 0; i < w * h; i++) if (p[i] > 0) break;", None),  # data may end it
        ("for (int i = 0; i < (int)p[0]; i++) p[i] = 1;", None),
        ("for (int i = 1; i < w; i *= 2) p[i] = 1;", None),
        ("for (int i = 0; i != w; i++) p[i] = 1;", None),
    ],
)
def test_formulas_of_arguments_are_worked_out(loop: str, times: int | None) -> None:
    facts = facts_of(f"__global__ void k(float *p, int w, int h) {{ {loop} }}\n{LAUNCH}")
    (found,) = facts.flow.loops
    assert counted_trips(facts.launches[0], 0, found) == times


def test_a_warp_that_does_not_come_there_makes_none() -> None:
    facts = body_facts("if (threadIdx.x >= 32) for (int i = 0; i < 9; i++) p[i] = 1;")
    (loop,) = facts.flow.loops
    trips = [counted_trips(facts.launches[0], warp, loop) for warp in (0, 1)]
    assert trips == [0, 9]
