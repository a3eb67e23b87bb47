"""Addresses of an access in each iteration, against loops that are run."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.access_iterations import (
    Sweep,
    look,
    look_in,
    moved,
    sweep,
)
from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue
from warplint.analyzer.analyses.warp_evaluation.outcomes import Unevaluable


def swept(body: str, threads: int = 64) -> Sweep | Unevaluable:
    facts = body_facts(f"int t = threadIdx.x; {body}", (threads, 1, 1))
    access = next(each for each in facts.accesses if each.writes)
    return sweep(facts.launches[0], access)


@given(st.lists(st.none() | st.integers(-9, 99), max_size=32), st.integers(-50, 50))
def test_moving_all_lanes_alike(offsets: list[int | None], shift: int) -> None:
    expected = tuple(None if each is None else each + shift for each in offsets)
    assert moved(tuple(offsets), shift) == expected


@settings(max_examples=30)
@given(
    st.integers(1, 70),
    st.integers(0, 40),
    st.integers(1, 40),
    st.integers(1, 3),
    st.integers(-2, 3),
)  # fmt: skip
def test_every_iteration(threads: int, first: int, last: int, step: int, factor: int) -> None:
    body = f"for (int i = t + {first}; i < {last}; i += {step}) p[i * {factor} + t] = 1;"
    places: dict[tuple[int, int], dict[int, int]] = {}
    for thread in range(threads):
        for number, i in enumerate(range(thread + first, last, step)):
            lanes = places.setdefault((thread // 32, number), {})
            lanes[thread % 32] = (i * factor + thread) * 4
    found = swept(body, threads)
    if not places:
        assert isinstance(found, Unevaluable)
        return
    assert isinstance(found, Sweep), found
    assert found.complete
    assert not found.assumed
    seen = [
        (each.warp, {lane: at for lane, at in enumerate(each.offsets) if at is not None})
        for each in found.iterations
        if each.executed
    ]
    assert sorted(seen, key=str) == sorted(
        ((warp, lanes) for (warp, _), lanes in places.items()), key=str
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("p[p[t]] = 1;", "loaded data"),
        ("p[t * n] = 1;", "n"),
        ("if (t > 99) p[t] = 1;", "no thread"),
    ],
)
def test_what_is_not_known(body: str, reason: str) -> None:
    found = swept(body)
    assert isinstance(found, Unevaluable)
    assert reason in found.reason


def test_a_guard_on_data_is_assumed_and_an_unknown_end_is_one_iteration() -> None:
    guarded = swept("if (p[t] > 3) p[t] = 1;")
    assert isinstance(guarded, Sweep)
    assert len(guarded.assumed) == 1
    endless = swept("for (int i = 0; i < n; i++) p[t] = 1;")
    assert isinstance(endless, Sweep)
    assert len(endless.iterations) == 2  # of each warp


def test_one_iteration_looked_into() -> None:
    facts = body_facts("for (int i = 0; i < 5; i++) p[threadIdx.x + i * 64] = 1;")
    (access,) = facts.accesses
    assert access.block is not None
    launch = facts.launches[0]
    nest = facts.flow.loop_nest(access.block)
    iterations = launch.iterations(0, nest)
    assert iterations is not None
    starts = []
    for iteration in iterations.each:
        value, guarded = look_in(access, iteration)
        assert isinstance(value, LaneValue)
        assert all(guarded.mask)
        starts.append(value.lanes[0])
    assert starts == [0, 256, 512, 768, 1024]
    symbolic, _ = look(launch, access, launch.evaluator(0))
    assert isinstance(symbolic, LaneValue)
    assert 256 in [factor for _, factor in symbolic.terms]


_BLOCKS = [(64, 1, 1), (256, 1, 1), (32, 8, 1), (64, 4, 1), (16, 16, 1), (8, 8, 8), (48, 2, 1)]
_BODIES = [
    "p[x + 64 * y + 512 * z] = 1;",
    "p[x * pitch + y] = 1;",
    "p[(y * n + x) * 4 + 2] = 1;",
    "if (x + 8 * y < n) p[y * pitch + x] = 1;",
    "if (t < 96) p[t] = 1;",
    "if (t / 32 == 1) p[t % 32] = 1;",
    "p[t % 64 + (t / 64) * n] = 1;",
    "p[(t ^ 5) + 3 * y] = 1;",
    "p[(int)((float)y * 2.0f) + x] = 1;",
    "for (int i = t; i < 1024; i += 256) p[i + y] = 1;",
    "for (int i = t; i < 1000; i += 256) p[3 * i] = 1;",
    "for (int i = y; i < 40; i += 8) for (int k = x; k < 96; k += 32) p[i * pitch + k] = 1;",
    "for (int s = 128; s > 0; s >>= 1) if (t < s) p[t + s] = 1;",
    "for (int s = 1; s < 64; s *= 2) p[2 * s * t] = 1;",
    "for (int i = 0; i < y; ++i) p[i * 64 + x] = 1;",
    "int k = x > 3 ? x - 3 : 0; p[k * 8 + y] = 1;",
]


@pytest.mark.parametrize("block", _BLOCKS)
@pytest.mark.parametrize("body", _BODIES)
def test_warps_looked_at_together_are_what_each_is(body: str, block: tuple[int, int, int]) -> None:
    x, y, _ = block
    indices = (
        f"int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, t = x + {x} * y + {x * y} * z;"
    )
    found = []
    for together in (True, False):
        facts = body_facts(f"{indices} {body}", block, parameters="int *p, int n, int pitch")
        launch = facts.launches[0]
        if not together:
            launch.warp_spans = None
        access = next(each for each in facts.accesses if each.writes)
        found.append(_said(sweep(launch, access)))
    assert found[0] == found[1]


def _said(found: Sweep | Unevaluable) -> object:
    """A sweep as it may be compared with that of another kernel."""
    if isinstance(found, Unevaluable):
        return found.reason
    iterations = [
        (
            each.warp,
            each.number,
            each.offsets,
            [(type(name).__name__, factor) for name, factor in each.terms],
        )
        for each in found.iterations
    ]
    return iterations, {block.index for block in found.assumed}, found.complete
