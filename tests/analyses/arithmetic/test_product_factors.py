"""What the factors of a product are made of."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.arithmetic.product_factors import (
    Leaf,
    is_free,
    is_position,
    leaves_of,
)

PARAMETERS = "long long *p, const int *a, int n, int m, unsigned char c"


def leaves(expression: str) -> frozenset[Leaf]:
    body = f"for (int i = 0; i < n; i++) p[0] = ({expression});"
    return leaves_of(body_facts(body, parameters=PARAMETERS).accesses[-1].operands[1])


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("threadIdx.x", {Leaf.THREAD}),
        ("threadIdx.y * 3 + 1", {Leaf.THREAD, Leaf.CONSTANT}),
        ("blockDim.z", {Leaf.BLOCK_SIZE}),
        ("blockIdx.x", {Leaf.BLOCK_X}),
        ("blockIdx.y + blockIdx.z", {Leaf.BLOCK_YZ}),
        ("gridDim.y", {Leaf.GRID_SIZE}),
        ("blockIdx.x * blockDim.x + threadIdx.x", {Leaf.BLOCK_X, Leaf.BLOCK_SIZE, Leaf.THREAD}),
        ("n - m", {Leaf.RUN_TIME}),
        ("n * 4", {Leaf.RUN_TIME, Leaf.CONSTANT}),
        ("i", {Leaf.COUNTER}),
        ("a[n]", {Leaf.RUN_TIME}),
        ("threadIdx.x / 32", {Leaf.THREAD}),
        ("threadIdx.x & 7", {Leaf.THREAD}),
        ("n / 32", {Leaf.RUN_TIME}),
        ("blockIdx.x / 32", {Leaf.RUN_TIME}),
        ("(int)c", {Leaf.THREAD}),  # eight bits
        ("5", {Leaf.CONSTANT}),
    ],
)
def test_leaves(expression: str, expected: set[Leaf]) -> None:
    assert leaves(expression) == expected


def test_of_too_much_nothing_is_known() -> None:
    assert Leaf.RUN_TIME not in leaves(" + ".join(f"threadIdx.x * {k}" for k in range(2, 9)))
    assert Leaf.RUN_TIME in leaves(" + ".join(f"threadIdx.x * {k}" for k in range(2, 99)))


@pytest.mark.parametrize(
    ("expression", "free", "position"),
    [
        ("n", True, False),
        ("n * 4", True, False),
        ("n + threadIdx.x", False, False),
        ("threadIdx.x", False, False),
        ("blockIdx.x * blockDim.x + threadIdx.x", False, True),
        ("blockIdx.y * 16", False, True),
        ("blockIdx.x * n", False, False),
        ("gridDim.x", False, False),
    ],
)
def test_factors_that_nothing_bounds_and_places_in_the_grid(
    expression: str, *, free: bool, position: bool
) -> None:
    assert is_free(leaves(expression)) is free
    assert is_position(leaves(expression)) is position
