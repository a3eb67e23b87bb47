"""The block that is run where the first one does not come to an access."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.assumed_numbers import (
    GRID,
    OTHER_BLOCKS,
    SizeScenario,
)
from warplint.analyzer.analyses.block_execution.launch_values import BLOCK_INDEX
from warplint.analyzer.analyses.conflicts.other_blocks import FIRST, deciding_axes, other_block
from warplint.analyzer.ir.values import Special

X, Y, Z = Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (blockIdx.x > 0) p[0] = 1;", {X}),
        ("if (blockIdx.y > 0) p[0] = 1;", {Y}),
        ("if (blockIdx.x > 0 && blockIdx.z == n) p[0] = 1;", {X, Z}),
        ("if (blockIdx.x > 0) { if (blockIdx.y > 0) p[0] = 1; }", {X, Y}),
        ("int i = blockIdx.x * 64 + threadIdx.x; if (i >= n) return; p[0] = 1;", {X}),
        ("if (threadIdx.x < n) p[0] = 1;", set()),
        ("if (threadIdx.x < gridDim.x) p[0] = 1;", set()),
        ("p[blockIdx.x] = 1;", set()),  # where, not whether
        ("if (blockIdx.x > 0) n = 1; p[0] = n;", set()),  # what, not whether
    ],
)
def test_axes_that_decide_who_comes(body: str, expected: set[Special]) -> None:
    facts = body_facts(body)
    assert deciding_axes(facts.flow, facts.accesses) == expected


def test_no_access_has_no_axes() -> None:
    assert deciding_axes(body_facts("if (blockIdx.x) p[0] = 1;").flow, []) == set()


sizes = st.one_of(st.none(), st.integers(1, 20))
axes = st.sets(st.sampled_from(BLOCK_INDEX))


@given(st.tuples(sizes, sizes, sizes), axes)
def test_the_second_block_or_the_last_along_the_axes(
    grid: tuple[int | None, int | None, int | None], asked: set[Special]
) -> None:
    second = other_block(grid, asked, SizeScenario.SECOND_BLOCK)
    last = other_block(grid, asked, SizeScenario.LAST_BLOCK)
    for axis, size, one, other in zip(BLOCK_INDEX, grid, second, last, strict=True):
        blocks = range(GRID if size is None else size) if axis in asked else range(1)
        assert other == blocks[-1]
        assert one == (1 if 1 in blocks else 0)


def test_a_grid_of_one_block_has_no_other() -> None:
    for scenario in OTHER_BLOCKS:
        assert other_block((1, 1, 1), set(BLOCK_INDEX), scenario) == FIRST
        assert other_block((0, 1, 1), set(BLOCK_INDEX), scenario) == FIRST
        assert other_block((8, 8, 8), set(), scenario) == FIRST
