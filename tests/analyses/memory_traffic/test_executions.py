"""Executions of an access in a launch, against threads that are counted one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.allowance import METER, allowance
from warplint.analyzer.analyses.memory_traffic.executions import (
    Execution,
    LaunchExecutions,
    block_axes,
    is_start,
)
from warplint.analyzer.analyses.warp_evaluation.warp_evaluator import Unevaluable
from warplint.analyzer.ir.operations import MemoryAccess

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions

UNIT = 32
HEAD = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def executions(
    body: str,
    block: Dimensions = (64, 1, 1),
    grid: Dimensions | None = (4, 1, 1),
    limit: int = 4096,
) -> tuple[Execution, ...] | Unevaluable:
    text = f"__global__ void k(int *p, const int *a, int n) {{ {HEAD} {body} }}"
    facts = facts_of(text, block, grid)
    (access,) = (each for each in facts.accesses if each.writes)
    return LaunchExecutions(facts.launches[0], limit).of(access, UNIT)


def lanes(found: tuple[Execution, ...] | Unevaluable) -> int:
    assert not isinstance(found, Unevaluable), found.reason
    return sum(each.times * sum(each.mask) for each in found)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 400), st.integers(1, 3))
def test_threads_below_a_bound(threads: int, blocks: int, bound: int, step: int) -> None:
    body = f"if (i * {step} < {bound}) p[i] = 1;"
    found = executions(body, (threads, 1, 1), (blocks, 1, 1))
    assert lanes(found) == sum(i * step < bound for i in range(threads * blocks))


@settings(max_examples=25)
@given(st.integers(1, 70), st.integers(1, 6), st.integers(0, 300))
def test_loops_in_steps_of_the_grid(threads: int, blocks: int, bound: int) -> None:
    body = f"for (; i < {bound}; i += blockDim.x * gridDim.x) p[i] = 1;"
    assert lanes(executions(body, (threads, 1, 1), (blocks, 1, 1))) == bound


@settings(max_examples=25)
@given(st.integers(1, 9), st.integers(1, 70))
def test_where_warps_begin_within_a_unit(blocks: int, pitch: int) -> None:
    """The places of first lanes up to the unit, with how often they occur."""
    found = executions(f"p[blockIdx.x * {pitch} + threadIdx.x] = 1;", (32, 1, 1), (blocks, 1, 1))
    assert not isinstance(found, Unevaluable)
    counted: dict[int, int] = {}
    for each in found:
        place = each.value.lanes[0] % UNIT
        counted[place] = counted.get(place, 0) + each.times
    expected: dict[int, int] = {}
    for block in range(blocks):
        place = block * pitch * 4 % UNIT
        expected[place] = expected.get(place, 0) + 1
    assert counted == expected


def test_blocks_of_the_largest_grid_are_not_gone_through() -> None:
    most = 2**31 - 1
    found = executions("p[blockIdx.x * 33 + threadIdx.x] = 1;", (32, 1, 1), (most, 1, 1))
    assert lanes(found) == 32 * most
    assert not isinstance(found, Unevaluable)
    assert sorted(each.times for each in found) == [most // 8] + [most // 8 + 1] * 7


@pytest.mark.parametrize(
    ("body", "grid", "reason"),
    [
        ("p[i] = 1;", None, "the grid is unknown: set --grid"),
        ("if (a[i] > 3) p[i] = 1;", (4, 1, 1), "a guard around it is unknown"),
        ("for (int k = 0; k < n; k++) p[k] = 1;", (4, 1, 1), "unknown trip count"),
        ("p[n + i] = 1;", (4, 1, 1), "part of the address is unknown"),
        ("while (a[p[3] = i] > 0) i++;", (4, 1, 1), "part of a loop condition"),
    ],
)
def test_what_is_not_known_is_said(body: str, grid: Dimensions | None, reason: str) -> None:
    found = executions(body, grid=grid)
    assert isinstance(found, Unevaluable)
    assert reason in found.reason


def test_a_guard_that_makes_a_launch_too_large_is_asked_once() -> None:
    body = """if (i % 1024 > i / 1024 % 1024) { p[i] = 1; p[i + n] = 2; }
    else for (int j = 0; j < 4; j++) p[i + j] = 4; p[i / 3] = 3;"""
    text = f"__global__ void k(int *p, int n) {{ {HEAD} {body} }}"
    facts = facts_of(text, (64, 1, 1), (1 << 20, 1, 1))
    counted, spent = LaunchExecutions(facts.launches[0], 256), []
    for access in facts.accesses:
        with allowance(1e9):
            found = counted.of(access, UNIT)
            spent.append(1e9 - METER.left)
        assert isinstance(found, Unevaluable)
        assert found.reason == "the launch is too large to count"
    assert 10 * max(spent[1:3]) < min(spent[0], spent[3])


def test_a_launch_of_too_many_different_executions_is_refused() -> None:
    body = "if ((i ^ blockIdx.x) % 7 < 3) p[(i ^ blockIdx.x) * 5] = 1;"
    found = executions(body, grid=(100_000, 1, 1), limit=64)
    assert isinstance(found, Unevaluable)
    assert found.reason == "the launch is too large to count"


@pytest.mark.parametrize(
    ("index", "plain", "deciding"),
    [
        ("threadIdx.x", set(), set()),
        ("blockIdx.x", {0}, {0}),
        ("blockIdx.y * 4 + blockIdx.z", {1, 2}, {1, 2}),
        ("(blockIdx.z > 3 ? n : 2)", set(), {2}),
    ],
)
def test_the_axes_that_a_value_depends_on(index: str, plain: set[int], deciding: set[int]) -> None:
    text = f"__global__ void k(int *p, int n) {{ int at; at = {index}; p[at] = 1; }}"
    facts = facts_of(text, (64, 1, 1))
    launch = facts.launches[0]
    address = facts.accesses[-1].address
    assert block_axes(launch, [address]) <= plain | deciding
    assert block_axes(launch, [address], control=True) == deciding | plain


def test_starts_of_objects() -> None:
    facts = facts_of("__global__ void k(int *p, int n) { __shared__ int s[4]; s[0] = p[n]; }")
    pointer, size = facts.kernel.parameters
    assert is_start(pointer)
    assert not is_start(size)
    assert is_start(facts.kernel.objects[-1])
    assert all(isinstance(each, MemoryAccess) for each in facts.accesses)
