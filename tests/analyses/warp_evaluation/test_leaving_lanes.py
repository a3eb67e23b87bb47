"""The lanes that leave a loop in one iteration, and where."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.leaving_lanes import leaving_lanes, without
from warplint.analyzer.analyses.warp_evaluation.leaving_lanes import test_of as deciding_block
from warplint.analyzer.analyses.warp_evaluation.loop_iterations import first_iteration


def first_leaving(body: str) -> tuple[set[int], set[int], int] | None:
    """Who leaves in the first iteration, who of them at the test, and how many ways are assumed."""
    facts = body_facts(f"int t = threadIdx.x; {body}", (32, 1, 1))
    (loop,) = facts.flow.loops
    launch = facts.launches[0]
    bound = first_iteration(launch.evaluator(0), loop)
    guards = launch.guards(launch.new_evaluator(0, lambda _: None, bound))
    test = deciding_block(loop)
    assert test is not None
    found = leaving_lanes(guards, loop, test)
    if found is None:
        return None
    mask, by_test = (
        {lane for lane, leaves in enumerate(each) if leaves} for each in (found.mask, found.by_test)
    )
    return mask, by_test, len(found.assumed)


@pytest.mark.parametrize(
    ("body", "leaves", "by_test", "assumed"),
    [
        ("for (int i = t; i < 20; i++) p[i] = 1;", range(20, 32), range(20, 32), 0),
        ("for (int i = t; i < 99; i++) p[i] = 1;", (), (), 0),
        ("for (int i = 0; i < 9; i++) { if (t < 5) break; p[i] = 1; }", range(5), (), 0),
        ("for (int i = t; i < 20; i++) { if (t < 5) break; p[i] = 1; }",
         (*range(5), *range(20, 32)), range(20, 32), 0),
        ("for (int i = 0; i < 9; i++) { if (p[t]) break; p[i] = 1; }", (), (), 1),
        ("int i = t; do { p[i] = 1; i++; } while (i < 20);", range(19, 32), (), 0),
    ],
)  # fmt: skip
def test_the_first_iteration(
    body: str, leaves: range | tuple[int, ...], by_test: range | tuple[int, ...], assumed: int
) -> None:
    assert first_leaving(body) == (set(leaves), set(by_test), assumed)


def test_a_test_that_is_not_known() -> None:
    assert first_leaving("for (int i = 0; i < n; i++) p[i] = 1;") is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=32, max_size=32))
def test_lanes_that_stay(pairs: list[tuple[bool, bool]]) -> None:
    mask, left = zip(*pairs, strict=True)
    assert without(mask, left) == tuple(here and not gone for here, gone in pairs)
