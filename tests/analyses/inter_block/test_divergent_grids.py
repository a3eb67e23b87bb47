"""Barriers of the grid that some blocks do not reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.inter_block.divergent_grids import DivergentGrid, divergent_grids

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions

SYNC = "cooperative_groups::this_grid().sync();"


def found(body: str, grid: Dimensions | None = (4, 1, 1)) -> list[DivergentGrid]:
    text = f"""#include <cooperative_groups.h>
    __global__ void k(int *p, int n) {{ {body} p[0] = n; }}"""
    return list(divergent_grids(facts_of(text, (64, 1, 1), grid)))


@settings(max_examples=20)
@given(st.integers(1, 9), st.integers(0, 10))
def test_a_bound_on_the_block(blocks: int, bound: int) -> None:
    """The first block, the next one and the last one are looked at."""
    result = found(f"if (blockIdx.x < {bound}) {SYNC}", (blocks, 1, 1))
    looked_at = {0, min(1, blocks - 1), blocks - 1}
    parted = {index < bound for index in looked_at} == {True, False}
    assert len(result) == parted
    for each in result:
        assert each.arrives[0] < bound <= each.misses[0] < blocks


@pytest.mark.parametrize(
    ("body", "grid", "count"),
    [
        (f"if (blockIdx.x == 0) {SYNC}", (4, 1, 1), 1),
        (f"if (blockIdx.x == 0) return; {SYNC}", (4, 1, 1), 1),
        (f"if (blockIdx.x == gridDim.x - 1) {SYNC}", (4, 1, 1), 1),
        (f"if (blockIdx.x == 0) {SYNC} else {SYNC}", (4, 1, 1), 0),
        (f"if (blockIdx.x < gridDim.x) {SYNC}", (4, 1, 1), 0),
        (f"if (blockIdx.x == 0) {SYNC}", (1, 1, 1), 0),
        (f"if (blockIdx.y == 0) {SYNC}", (4, 1, 1), 0),
        (f"if (blockIdx.y == 0) {SYNC}", (1, 2, 1), 1),
        (f"if (blockIdx.x < n) {SYNC}", (4, 1, 1), 0),  # who knows n
        (f"if (blockIdx.x == 0) {SYNC}", None, 1),
        (f"if (n > 3) {SYNC}", (4, 1, 1), 0),
        ("if (blockIdx.x == 0) __syncthreads();", (4, 1, 1), 0),
    ],
)
def test_decisions(body: str, grid: Dimensions | None, count: int) -> None:
    assert len(found(body, grid)) == count
