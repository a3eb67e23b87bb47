"""Threads that leave an array of shared memory, and whether that is sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.races.out_of_bounds import OutOfBounds, out_of_bounds

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions


def found(
    body: str, block: Dimensions | None = (64, 1, 1), *, doubted: bool = False
) -> list[OutOfBounds]:
    text = f"__global__ void k(int *p, int n) {{ __shared__ int s[64]; {body} }}"
    return list(out_of_bounds(facts_of(text, block, doubted=doubted)))


@settings(max_examples=30)
@given(st.integers(1, 80), st.integers(1, 3), st.integers(-9, 70))
def test_the_thread_that_goes_farthest(threads: int, step: int, start: int) -> None:
    indices = [t * step + start for t in range(threads)]
    result = found(f"s[(int)threadIdx.x * {step} + {start}] = n;", (threads, 1, 1))
    outside = [index for index in indices if not 0 <= index < 64]
    assert len(result) == bool(outside)
    for each in result:
        assert each.definite
        assert each.outside.touch.thread in [t for t, i in enumerate(indices) if i in outside]


@pytest.mark.parametrize(
    ("body", "definite"),
    [
        ("s[threadIdx.x + 1] = n;", [True]),
        ("if (threadIdx.x < 63) s[threadIdx.x + 1] = n;", []),
        ("int t = threadIdx.x; s[t - 1] = n;", [True]),
        ("int t = threadIdx.x; if (t > 0) s[t - 1] = n;", []),
        ("int *q = s + 8; q[(int)threadIdx.x - 8] = n;", []),
        ("s[threadIdx.x * n] = 1;", [False]),  # for some n
        ("s[threadIdx.x] = n; s[64] = n;", [True]),
        ("s[threadIdx.x + 1] = n; p[0] = s[threadIdx.x + 2];", [True, True]),  # each access
        ("for (int i = 0; i <= 64; i++) s[i] = n;", [True]),
        ("p[threadIdx.x + 100] = n;", []),
    ],
)
def test_what_is_sure(body: str, definite: list[bool]) -> None:
    assert [each.definite for each in found(body)] == definite


def test_a_block_that_is_only_bounded_is_doubted() -> None:
    text = """__global__ __launch_bounds__(128) void k(int *p, int n) {
        __shared__ int s[64]; s[threadIdx.x] = n; s[64] = n; }"""
    bounded, sure = out_of_bounds(facts_of(text))
    assert not bounded.definite
    assert sure.definite


def test_all_doubts_where_they_are_wanted() -> None:
    (first,) = found("s[threadIdx.x * n] = 1;")
    (every,) = found("s[threadIdx.x * n] = 1;", doubted=True)
    assert [each.name for each in first.doubts] == ["example-size-in-index"]
    assert every.doubts == first.doubts  # nothing else speaks against it


@pytest.mark.parametrize(
    ("grid", "index", "blocks"),
    [
        ((1, 1, 1), "i", []),
        ((4, 1, 1), "i", [(1, 0, 0)]),
        ((4, 1, 1), "i % 64", []),
        ((4, 1, 1), "threadIdx.x + blockIdx.y", []),  # there is a single row of blocks
        ((1, 3, 1), "threadIdx.x + blockIdx.y", [(0, 1, 0)]),
        ((4, 1, 1), "threadIdx.x + (blockIdx.x == 3)", [(3, 0, 0)]),
        (None, "i", [(1, 0, 0)]),
    ],
)
def test_blocks_that_go_elsewhere(
    grid: Dimensions | None, index: str, blocks: list[Dimensions]
) -> None:
    text = f"""__global__ void k(int *p) {{
        __shared__ int s[64];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        s[{index}] = 1; }}"""
    result = out_of_bounds(facts_of(text, (64, 1, 1), grid))
    assert [each.outside.touch.block for each in result] == blocks
    assert all(each.definite is (grid is not None) for each in result)


@settings(max_examples=20)
@given(st.integers(1, 6), st.integers(0, 40), st.integers(0, 400))
def test_a_block_that_leaves_is_found_where_one_does(blocks: int, step: int, limit: int) -> None:
    text = f"""__global__ void k(int *p) {{
        __shared__ int s[64];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < {limit}) s[threadIdx.x + blockIdx.x * {step}] = 1; }}"""
    result = out_of_bounds(facts_of(text, (32, 1, 1), (blocks, 1, 1)))
    places = {
        (block, thread): thread + block * step
        for block in range(blocks)
        for thread in range(32)
        if block * 32 + thread < limit
    }
    looked_at = {0, min(1, blocks - 1), blocks - 1}
    outside = {each for each, index in places.items() if index >= 64 and each[0] in looked_at}
    assert len(result) == bool(outside)
    for each in result:
        block = each.outside.touch.block
        assert block is not None
        assert (block[0], each.outside.touch.thread) in outside
