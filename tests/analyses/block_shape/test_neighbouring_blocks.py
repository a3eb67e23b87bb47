"""Where the next block goes on: how many threads that makes."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_shape.neighbouring_blocks import (
    distance_of_blocks,
    neighbouring_blocks,
)

INDEX = "int i = blockIdx.x * 128 + threadIdx.x;"


def threads(body: str) -> int | None:
    found = neighbouring_blocks(body_facts(body, parameters="int *p, int *q, int n"))
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{INDEX} p[i] = 1;", 128),
        (f"{INDEX} p[i] = 1; q[i] = 2;", 128),
        (f"{INDEX} p[i] = 1; q[blockIdx.x * 64 + threadIdx.x] = 2;", None),  # they differ
        (f"{INDEX} p[2 * i] = 1; p[2 * i + 1] = 1;", 128),  # a thread's own part
        (f"{INDEX} p[i] = 1; p[i + 128] = 1;", None),  # the work of two
        (f"{INDEX} if (i < n) p[i] = 1;", 128),
        (f"{INDEX} if (threadIdx.x < n) p[i] = 1;", None),  # the others may store elsewhere
        (f"{INDEX} if (n > 3) p[i] = 1;", 128),
        (f"{INDEX} if (threadIdx.x) p[i] = 1;", None),
        (f"{INDEX} p[i + blockDim.x] = 1;", None),
        (f"{INDEX} for (int k = 0; k < n; k++) p[i + k * n] = 1;", None),
        (f"{INDEX} p[i] = q[i + 128];", 128),  # loads tell nothing
        ("p[blockIdx.x * 100 + threadIdx.x] = 1;", None),  # no whole warps
        ("p[blockIdx.x * 2048 + threadIdx.x] = 1;", None),  # too many
        ("p[threadIdx.x * 128 + blockIdx.x] = 1;", None),
        ("__shared__ int s[64]; s[blockIdx.x * 128 + threadIdx.x] = 1;", None),
    ],
)
def test_threads_of_a_block(body: str, expected: int | None) -> None:
    assert threads(body) == expected


@settings(max_examples=30)
@given(st.integers(1, 3), st.integers(1, 400), st.integers(0, 2))
def test_against_the_places_of_two_blocks(step: int, pitch: int, extra: int) -> None:
    """The next block begins where this one ends: at whole warps, and no thread between."""
    count, rest = divmod(pitch * step + extra, step)
    expected = count if not rest and count % 32 == 0 else None
    assert (
        threads(f"p[blockIdx.x * {pitch * step + extra} + threadIdx.x * {step}] = 1;") == expected
    )


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("blockIdx.x * 25 + threadIdx.x", 25),
        ("blockIdx.x * 50 + threadIdx.x * 2 + n", 25),
        ("blockIdx.x * 25 + threadIdx.x * 2", None),
        ("threadIdx.x", None),
    ],
)
def test_distance_of_blocks(index: str, expected: int | None) -> None:
    (access,) = body_facts(f"p[{index}] = 1;").accesses
    assert distance_of_blocks(access.address) == expected


def test_a_loop_goes_on_from_there() -> None:
    body = "for (int i = blockIdx.x * 25 + threadIdx.x; i < n; i += n) p[i] = 1;"
    (access,) = body_facts(body).accesses
    assert distance_of_blocks(access.address) == 25
