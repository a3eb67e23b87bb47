"""Barriers behind a number in global memory that other blocks change."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.barriers.barrier_divergence import divergent_barriers
from warplint.analyzer.analyses.doubts.barriers.no_witnesses import DOUBT

QUEUE = """__global__ void k(int *next, int *last, const int *work, int *out) {
    __shared__ int s[128];
    for (int i = blockIdx.x; i < *next; i += gridDim.x) {
        s[threadIdx.x] = work[i * 128 + threadIdx.x];
        __syncthreads();
        out[i * 128 + threadIdx.x] = s[127 - threadIdx.x];
        if (threadIdx.x == 0) @;
        __syncthreads();
    }
}"""
BLOCK = (128, 1, 1)


@pytest.mark.parametrize(
    ("update", "grid", "doubted", "found"),
    [
        ("atomicAdd(next, 1)", None, True, [(DOUBT,)] * 2),
        ("atomicAdd(next, 1)", None, False, []),  # only on request
        ("atomicAdd(next, 1)", (1, 1, 1), True, []),  # nobody else writes
        ("atomicAdd(last, 1)", None, True, []),  # another number
    ],
)
def test_a_number_that_other_blocks_change_may_part_a_block(
    update: str, grid: tuple[int, int, int] | None, doubted: bool, found: list[object]
) -> None:
    facts = facts_of(QUEUE.replace("@", update), BLOCK, grid, doubted=doubted)
    assert [each.doubts for each in divergent_barriers(facts)] == found
