"""Which block is run where the first one does not stand for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_execution.assumed_numbers import GRID, SizeScenario
from warplint.analyzer.analyses.block_shape.other_blocks import (
    FIRST,
    deciding_axes,
    other_block,
    placing_axes,
)
from warplint.analyzer.ir.values import Special

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import PartialDimensions

X, Y, Z = Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z


@pytest.mark.parametrize(
    ("body", "axes"),
    [
        ("p[blockIdx.x] = 1;", set()),  # a place is no decision
        ("if (blockIdx.x > 0) p[0] = 1;", {X}),
        ("if (blockIdx.y + blockIdx.z == 3) p[0] = 1;", {Y, Z}),
        ("if (blockIdx.x * blockDim.x + threadIdx.x < n) p[0] = 1;", {X}),
        ("if (threadIdx.x < n) p[0] = 1;", set()),
        ("if (blockIdx.x > 0) n = 3;", set()),  # no access
    ],
)
def test_the_axes_that_decide_who_comes(body: str, axes: set[Special]) -> None:
    facts = body_facts(body)
    assert deciding_axes(facts.flow, facts.accesses) == axes


@pytest.mark.parametrize(
    ("body", "axes"),
    [
        ("s[blockIdx.x] = 1;", {X}),
        ("s[(blockIdx.y * blockDim.x + threadIdx.x) % 64 + blockIdx.z] = 1;", {Y, Z}),
        ("s[threadIdx.x] = p[blockIdx.x];", set()),  # what is stored is no place
        ("p[blockIdx.x] = s[threadIdx.x];", set()),  # blocks share that one
        ("if (blockIdx.x > 0) s[threadIdx.x] = 1;", set()),  # at the same place
        ("int at = 0; if (blockIdx.x > 0) at = threadIdx.x; s[at] = 1;", {X}),
        ("int at = 0; if (threadIdx.x > 0) at = n; s[at] = 1;", set()),
    ],
)
def test_the_axes_that_decide_where_in_shared_memory(body: str, axes: set[Special]) -> None:
    facts = body_facts(f"__shared__ int s[64]; {body}")
    assert placing_axes(facts, facts.accesses) == axes


@pytest.mark.parametrize(
    ("grid", "axes", "second", "last"),
    [
        ((4, 4, 1), {X}, (1, 0, 0), (3, 0, 0)),
        ((4, 5, 1), {X, Y}, (1, 1, 0), (3, 4, 0)),
        ((4, 1, 1), {Y}, FIRST, FIRST),  # there is no other
        ((None, None, None), {Z}, (0, 0, 1), (0, 0, GRID - 1)),
        ((0, 1, 1), {X}, FIRST, FIRST),
        ((4, 4, 4), set(), FIRST, FIRST),
    ],
)
def test_the_block_that_is_run(
    grid: PartialDimensions,
    axes: set[Special],
    second: tuple[int, int, int],
    last: tuple[int, int, int],
) -> None:
    scenarios = [each for each in SizeScenario if each is not SizeScenario.LAST_BLOCK]
    assert {other_block(grid, axes, each) for each in scenarios} == {second}
    assert other_block(grid, axes, SizeScenario.LAST_BLOCK) == last
