"""Accesses by the threads that the last block has too many of."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.missing_guards import MissingGuard, missing_guards

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def found(launch: str, body: str = f"{INDEX} p[i] = n;") -> list[MissingGuard]:
    text = f"""__global__ void k(float *p, const float *q, int n, int m) {{ {body} }}
    void run(float *p, float *q) {{ {launch} }}"""
    return list(missing_guards(facts_of(text)))


@settings(max_examples=30)
@given(st.integers(1, 6), st.integers(1, 70), st.integers(1, 300))
def test_launches_that_round_up(blocks: int, threads: int, size: int) -> None:
    """The grid is the smallest one that covers the size, and does not divide it."""
    least = -(-size // threads)
    expected = blocks == least and blocks > 1 and size % threads and threads > 1
    guards = found(f"k<<<{blocks}, {threads}>>>(p, q, {size}, 0);")
    assert [(g.axis, g.size, g.threads) for g in guards] == (
        [(0, size, blocks * threads)] if expected else []
    )


LAUNCH = "k<<<4, 64>>>(p, q, 250, 7);"


@pytest.mark.parametrize(
    ("body", "objects"),
    [
        (f"{INDEX} p[i] = q[i];", ["*p", "*q"]),
        (f"{INDEX} p[i] = 1; p[i + 1] = 2;", ["*p"]),  # the first
        (f"{INDEX} if (i < n) p[i] = 1;", []),
        (f"{INDEX} if (i >= n) return; p[i] = 1;", []),
        (f"{INDEX} if (n > 3) p[i] = 1;", ["*p"]),  # all threads decide alike
        (f"{INDEX} p[i * 2] = 1;", ["*p"]),
        (f"{INDEX} p[i / 2] = 1;", []),
        (f"{INDEX} p[i % n] = 1;", []),
        ("p[threadIdx.x] = 1;", []),  # does not grow with the grid
        ("p[blockIdx.x] = 1;", []),
        (f"{INDEX} __shared__ float s[256]; s[i] = 1;", []),
        (f"{INDEX} p[n - i] = 1;", []),
        ("int i = blockIdx.y * blockDim.y + threadIdx.y; p[i] = 1;", []),
    ],
)
def test_accesses(body: str, objects: list[str]) -> None:
    named = [each.address.object for each in found(LAUNCH, body)]
    assert [None if item is None else item.name for item in named] == objects


def test_the_first_launch_that_rounds_up_is_shown() -> None:
    launches = "k<<<4, 64>>>(p, q, 256, 7); k<<<2, 64>>>(p, q, 100, 7); k<<<4, 64>>>(p, q, 250, 7);"
    (guard,) = found(launches)
    assert (guard.size, guard.parameter.name) == (100, "n")


def test_a_size_that_is_covered_exactly_is_the_one_that_is_meant() -> None:
    assert found("k<<<4, 64>>>(p, q, 250, 256);") == []  # 250 is the depth of something else
    assert len(found("k<<<4, 64>>>(p, q, 250, 255);")) == 1
