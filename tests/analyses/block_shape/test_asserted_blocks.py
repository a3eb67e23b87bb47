"""Blocks that kernels assert they are run by."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_shape.asserted_blocks import asserted_block

X = "p[threadIdx.x] = n;"


def block(body: str) -> tuple[int, int, int] | None:
    found = asserted_block(body_facts(body))
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"assert(blockDim.x == 1024); {X}", (1024, 1, 1)),
        (f"assert(512 == blockDim.x); {X}", (512, 1, 1)),
        (f"if (n > 3) p[0] = 1; assert(blockDim.x == 128); {X}", (128, 1, 1)),
        (f"assert(blockDim.x == 64 && n > 0); {X}", (64, 1, 1)),
        ("assert(blockDim.x == 16 && blockDim.y == 8); p[threadIdx.x * 8 + threadIdx.y] = n;",
         (16, 8, 1)),
        ("assert(blockDim.x == 16); p[threadIdx.x * 8 + threadIdx.y] = n;", None),  # y is open
        (f"assert(blockDim.x == 64); assert(blockDim.x == 128); {X}", None),
        (f"assert(blockDim.x == 64 || n > 0); {X}", None),
        (f"assert(blockDim.x >= 64); {X}", None),
        (f"assert(blockDim.x != 64); {X}", None),
        (f"assert(blockDim.x == n); {X}", None),
        (f"assert(blockDim.x == 2048); {X}", None),  # more threads than a block may have
        (f"assert(n == 64); {X}", None),
        (f"if (blockDim.x == 64) {X}", None),
        (X, None),
    ],
)  # fmt: skip
def test_shapes(body: str, expected: tuple[int, int, int] | None) -> None:
    assert block(body) == expected


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 1024))
def test_any_size_that_can_be_launched(threads: int) -> None:
    assert block(f"assert(blockDim.x == {threads}); {X}") == (threads, 1, 1)


def test_what_a_launch_says_goes_before() -> None:
    kernel = f"__global__ void k(int *p, int n) {{ assert(blockDim.x == 1024); {X} }}\n"
    (guessed,) = facts_of(kernel).launches
    assert guessed.launch.block == (1024, 1, 1)
    assert guessed.launch.origin == "asserted at line 1"
    (stated,) = facts_of(f"{kernel}void go(int *p) {{ k<<<4, 128>>>(p, 3); }}").launches
    assert stated.launch.block == (128, 1, 1)
