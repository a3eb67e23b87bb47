"""Two blocks at the same bytes: which pairs count."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.assumed_numbers import SizeScenario
from warplint.analyzer.analyses.conflicts.grid_runs import GridRun, GridRuns
from warplint.analyzer.analyses.conflicts.race_context import RaceContext


def run_of(body: str) -> GridRun:
    text = f"""#include <cooperative_groups.h>
    __global__ void k(const int *in, int *out, int n) {{
        int t = threadIdx.x, b = blockIdx.x; {body} }}"""
    facts = facts_of(text, (64, 1, 1), (4, 1, 1))
    return GridRuns(RaceContext(facts.launches[0])).run(SizeScenario.EQUAL)


SYNC = "cooperative_groups::this_grid().sync();"


@pytest.mark.parametrize(
    ("body", "found", "equal"),
    [
        ("out[t] = b;", 1, 0),
        ("out[t] = 7;", 0, 1),  # the same value
        ("out[b * 64 + t] = b;", 0, 0),
        ("out[b * 64 + t] = b; in = out; n = out[b * 64 + t + 64]; out[b * 64 + t] = n;", 1, 0),
        (f"out[b * 64 + t] = b; {SYNC} out[b * 64 + t + 64] = b;", 0, 0),  # in order
        ("out[b * 64 + t] = b; __syncthreads(); out[b * 64 + t + 64] = b;", 1, 0),
        ("unread(n); out[t] = b;", 0, 0),  # which may order the blocks
        ("atomicAdd(&out[t], 1);", 0, 0),
        ("if (t == 0) out[0] = b;", 1, 0),
    ],
)
def test_pairs(body: str, found: int, equal: int) -> None:
    run = run_of(body)
    assert (len(run.found) > 0, len(run.equal) > 0) == (found > 0, equal > 0)


def test_a_block_that_leaves_an_array() -> None:
    text = """__device__ int state[100];
    __global__ void k() { state[blockIdx.x * 64 + threadIdx.x] = 1; }"""
    facts = facts_of(text, (64, 1, 1), (4, 1, 1))
    assert GridRuns(RaceContext(facts.launches[0])).run(SizeScenario.EQUAL).left_arrays
