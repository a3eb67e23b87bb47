"""Blocks that no thread of a launch comes to, whatever its arguments are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.never_reached import is_never_reached

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions


def never(body: str, block: Dimensions = (64, 1, 1)) -> bool:
    facts = body_facts(body, block)
    (access,) = (each for each in facts.accesses if each.writes)
    assert access.block is not None
    return is_never_reached(facts.launches[0], access.block)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (blockDim.y > 1) p[0] = 1;", True),
        ("if (blockDim.x > 1) p[0] = 1;", False),
        ("if (threadIdx.x > 63) p[0] = 1;", True),
        ("if (threadIdx.x > 62) p[0] = 1;", False),
        ("if (n > 3) p[0] = 1;", False),  # an argument decides
        ("if (p[3] > 3) p[0] = 1;", False),
        ("for (int s = blockDim.y / 2; s > 0; s /= 2) p[s] = 1;", True),
        ("for (int s = blockDim.x / 2; s > 0; s /= 2) p[s] = 1;", False),
        ("for (int i = 0; i < n; i++) if (blockDim.z == 2) p[i] = 1;", True),
        ("for (int i = 0; i < 8; i++) if (i == 9) p[i] = 1;", True),
        ("for (int i = 0; i < 8; i++) if (i == 7) p[i] = 1;", False),
        ("for (int i = 0; i < n; i++) if (i == -1) p[i] = 1;", True),
    ],
)
def test_by_the_shape_of_the_block(body: str, *, expected: bool) -> None:
    assert never(body) is expected


@settings(max_examples=20)
@given(st.integers(1, 40), st.integers(1, 3), st.integers(0, 80))
def test_bounds_on_threads(x: int, y: int, bound: int) -> None:
    body = f"if (threadIdx.x + threadIdx.y * blockDim.x >= {bound}) p[0] = 1;"
    assert never(body, (x, y, 1)) is (x * y <= bound)
