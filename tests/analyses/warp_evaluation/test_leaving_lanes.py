"""Which lanes leave a loop in its first iteration, against the same loop run lane by lane."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.guards import Guarded
from warplint.analyzer.analyses.warp_evaluation.iterations import Inside
from warplint.analyzer.analyses.warp_evaluation.leaving_lanes import (
    LeavingLanes,
    leaving_lanes,
    without,
)
from warplint.analyzer.analyses.warp_evaluation.leaving_lanes import test_of as deciding_block
from warplint.analyzer.analyses.warp_evaluation.loop_iterations import first_iteration

ALL = (True,) * 32

#: Conditions on `t` as C and Python read them alike.
CONDITIONS = ["t < 5", "t >= 20", "t % 3 == 1", "(t & 4) == 0", "t > 40", "t < 40", "t == 31"]

conditions = st.sampled_from(CONDITIONS)
#: What a loop begins with if its first block is no way out.
HEAD = "if (t % 2) p[t] = 2;"

masks = st.lists(st.booleans(), min_size=32, max_size=32).map(tuple)


def leaving(body: str) -> LeavingLanes | None:
    """Who leaves the one loop of a kernel in its first iteration, if all lanes come to it."""
    facts = body_facts(f"int t = threadIdx.x; {body}")
    launch = facts.launches[0]
    (loop,) = facts.flow.loops
    test = deciding_block(loop)
    assert test is not None
    evaluator = launch.evaluator(0)
    bound = first_iteration(evaluator, loop, facts.variance.asked)
    inside = Inside(launch, loop, {loop.header: Guarded(ALL)}, bound, evaluator)
    return leaving_lanes(inside.guards, loop, test)


def lanes_with(condition: str) -> set[int]:
    return {t for t in range(32) if eval(condition, {"t": t})}


def lanes(mask: tuple[bool, ...]) -> set[int]:
    return {lane for lane, leaves in enumerate(mask) if leaves}


@settings(max_examples=40)
@given(conditions, conditions, conditions)
def test_lanes_of_a_test_and_of_breaks(goes_on: str, first: str, second: str) -> None:
    found = leaving(
        f"while ({goes_on}) {{ if ({first}) break; p[t] = 1; if ({second}) return; p[0] = 2; }}"
    )
    assert found is not None
    by_test = set(range(32)) - lanes_with(goes_on)
    assert lanes(found.by_test) == by_test
    assert lanes(found.mask) == by_test | lanes_with(first) | lanes_with(second)
    assert not found.assumed


@settings(max_examples=20)
@given(conditions, conditions)
def test_a_test_at_the_end_lets_every_lane_through_the_body(goes_on: str, first: str) -> None:
    """Who leaves there has made the iteration: the lanes are among those that leave, no more."""
    body = f"do {{ {HEAD} if ({first}) break; p[t] = 1; }} while ({goes_on});"
    found = leaving(body)
    assert found is not None
    assert lanes(found.mask) == set(range(32)) - (lanes_with(goes_on) - lanes_with(first))
    assert not any(found.by_test)


def test_lanes_that_do_not_come_to_a_way_out() -> None:
    found = leaving("while (t < 20) { if (t < 8) { p[t] = 1; if (t > 5) break; } p[0] = 2; }")
    assert found is not None
    assert lanes(found.mask) == {6, 7, *range(20, 32)}
    assert lanes(found.by_test) == set(range(20, 32))


@pytest.mark.parametrize("data", ["p[t]", "p[t + 64] > n", "n > 3"])
def test_a_way_out_that_is_not_known_is_taken_for_not_taken(data: str) -> None:
    found = leaving(f"while (t < 20) {{ if ({data}) break; p[t] = 1; if (t < 4) break; }}")
    assert found is not None
    assert lanes(found.mask) == {*range(4), *range(20, 32)}
    (assumed,) = found.assumed
    assert assumed.terminator.location.span.text == data


@pytest.mark.parametrize(
    "body",
    [
        "while (p[t] > 0) { if (t < 4) break; p[t] = 1; }",
        "for (int i = 0; i < n; i++) { if (t < 4) break; p[t] = 1; }",
        f"do {{ {HEAD} if (t < 4) break; p[t] = 1; }} while (p[t] > 0);",
    ],
)
def test_nothing_is_known_without_the_test(body: str) -> None:
    assert leaving(body) is None


@pytest.mark.parametrize(
    ("body", "mark"),
    [
        ("while (t < n) { if (p[t]) break; p[t] = 1; }", "header"),
        (f"do {{ {HEAD} if (p[t]) break; p[t] = 1; }} while (t < n);", "latch"),
        ("do { if (p[t]) break; p[t] = 1; } while (t < n);", "header"),  # it comes first
        ("for (;;) { if (p[t]) break; p[t] = 1; }", ""),  # left in the middle
    ],
)
def test_the_block_that_decides_about_another_iteration(body: str, mark: str) -> None:
    facts = body_facts(f"int t = threadIdx.x; {body}")
    loop = next(each for each in facts.flow.loops if each.parent is None)
    headers, latches = [loop.header], [*loop.latches]
    expected = {"header": headers, "latch": latches, "": [None]}[mark]
    assert [deciding_block(loop)] == expected


@given(masks, masks)
def test_the_lanes_that_stay(mask: tuple[bool, ...], left: tuple[bool, ...]) -> None:
    assert lanes(without(mask, left)) == lanes(mask) - lanes(left)
    assert without(mask, (False,) * 32) == mask
