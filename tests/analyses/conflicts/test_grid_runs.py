"""Which blocks of a grid are run, and where they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.assumed_numbers import SizeScenario
from warplint.analyzer.analyses.conflicts.grid_runs import FEW, GridRuns, blocks_to_run
from warplint.analyzer.analyses.conflicts.race_context import RaceContext

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions


def context(body: str, grid: Dimensions | None, block: Dimensions = (8, 1, 1)) -> RaceContext:
    text = f"__global__ void k(const int *in, int *out, int n) {{ int t = threadIdx.x; {body} }}"
    return RaceContext(facts_of(text, block, grid).launches[0])


@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=20)
def test_all_blocks_of_a_small_grid(x: int, y: int, z: int) -> None:
    blocks = blocks_to_run(context("out[t] = 1;", (x, y, z)))
    assert len(blocks) == len(set(blocks))
    assert {(0, 0, 0), (x - 1, y - 1, z - 1)} <= set(blocks)
    assert all(
        0 <= at < size for block in blocks for at, size in zip(block, (x, y, z), strict=True)
    )
    if x * y * z <= FEW:
        assert len(blocks) == x * y * z


def test_unknown_grids_have_neighbours_where_the_kernel_asks() -> None:
    assert blocks_to_run(context("out[t] = 1;", None)) == [(0, 0, 0)]
    assert blocks_to_run(context("out[t] = blockIdx.y;", None)) == [(0, 0, 0), (0, 1, 0)]
    assert blocks_to_run(context("out[t] = blockIdx.x;", (0, 1, 1))) == [(0, 0, 0)]
    assert (49, 0, 0) in blocks_to_run(context("out[t] = 1;", (100, 1, 1)))


@settings(max_examples=30)
@given(st.integers(2, 5), st.integers(0, 12), st.integers(1, 3), st.integers(1, 8))
def test_where_two_blocks_store(blocks: int, pitch: int, step: int, threads: int) -> None:
    body = f"out[blockIdx.x * {pitch} + t * {step}] = in[blockIdx.x * 64 + t];"
    runs = GridRuns(context(body, (blocks, 1, 1), (threads, 1, 1)))
    assert runs.may_meet
    places = [{b * pitch + t * step for t in range(threads)} for b in range(blocks)]
    meet = any(places[a] & places[b] for a in range(blocks) for b in range(a))
    run = runs.run(SizeScenario.EQUAL)
    assert bool(run.found or run.equal) is meet
    for conflict in run.found.values():
        assert conflict.first.block != conflict.second.block
        assert conflict.first.address == conflict.second.address
    assert runs.run(SizeScenario.EQUAL) is run


@pytest.mark.parametrize(
    ("body", "contended"),
    [
        ("if (in[t] > n) out[0] = out[0] + 1;", True),
        ("if (in[t] > n) atomicAdd(out, 1);", True),
        ("out[0] = out[0] + 1;", False),  # data has no say
        ("if (out[1] > n) out[0] = out[0] + 1;", False),  # which the kernel writes itself
        ("if (in[t] > out[0]) out[0] = in[t];", True),
    ],
)
def test_updates_that_input_decides_about(body: str, *, contended: bool) -> None:
    accesses = GridRuns(context(body + " out[t + 1] = 0;", (4, 1, 1))).accesses
    assert bool(accesses.contended) is contended


def test_smaller_blocks_and_accesses_of_several_blocks() -> None:
    runs = GridRuns(
        context(
            "out[t] = blockIdx.x; if (blockIdx.x == 0) out[t + 64] = 1;", (4, 1, 1), (128, 1, 1)
        )
    )
    run = runs.run(SizeScenario.EQUAL)
    first, second = runs.accesses.order
    assert run.executes(first)
    assert not run.executes(second)
    assert not run.left_arrays
    assert len(runs.smaller(SizeScenario.EQUAL)) == 2  # of 64 and of 32 threads
