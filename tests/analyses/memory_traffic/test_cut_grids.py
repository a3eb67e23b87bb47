"""Grids that are rounded down although the kernel expects what is left over."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.cut_grids import CutGrid, cut_grids

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
GUARDED = f"{INDEX} if (i < n) p[i] = 1;"


def cuts(launch: str, body: str = GUARDED, before: str = "") -> list[CutGrid]:
    text = f"""__global__ void k(int *p, int n, int m) {{ {body} }}
    void run(int *p, int n, int m) {{ {before} {launch} }}"""
    return list(cut_grids(facts_of(text)))


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<<<n / 256, 256>>>(p, n, m);", True),
        ("k<<<(n + 255) / 256, 256>>>(p, n, m);", False),
        ("k<<<n / 256 + 1, 256>>>(p, n, m);", False),
        ("k<<<n / 128, 256>>>(p, n, m);", False),  # by another number
        ("k<<<m / 256, 256>>>(p, n, m);", False),  # of another size
        ("k<<<n * m / 256, 256>>>(p, n * m, m);", True),
        ("n = m << 8; k<<<n / 256, 256>>>(p, n, m);", False),  # whole blocks
        ("n = 64 * (m << 2); k<<<n / 256, 256>>>(p, n, m);", False),
        ("n = m / 256 * 256; k<<<n / 256, 256>>>(p, n, m);", False),
        ("n = m << 7; k<<<n / 256, 256>>>(p, n, m);", True),
        ("k<<<n, 1>>>(p, n, m);", False),
        ("k<<<3, 256>>>(p, 1000, m);", True),
        ("k<<<4, 256>>>(p, 1024, m);", False),
        ("k<<<4, 256>>>(p, 1000, m);", False),
        ("k<<<1, 256>>>(p, 300, m);", False),  # one block does it all, somehow
    ],
)
def test_launches(launch: str, *, expected: bool) -> None:
    found = cuts(launch)
    assert len(found) == expected
    for cut in found:
        assert (cut.axis, cut.parameter.name, cut.divisor) == (0, "n", 256)


@settings(max_examples=25)
@given(st.integers(2, 9), st.integers(2, 64), st.integers(0, 600))
def test_numbers(blocks: int, threads: int, size: int) -> None:
    """What is left over is what the threads of the grid are too few for, if less than a block."""
    found = cuts(f"k<<<{blocks}, {threads}>>>(p, {size}, m);")
    left = size - blocks * threads
    assert [cut.left for cut in found] == ([left] if 0 < left < threads else [])


def test_a_host_that_checks_for_multiples() -> None:
    launch = "k<<<n / 256, 256>>>(p, n, m);"
    assert cuts(launch, before="if (n % 256 != 0) return;") == []
    assert cuts(launch, before="if (n % 100 != 0) return;") != []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{INDEX} p[i] = n;", False),  # no guard: made for multiples
        (f"{INDEX} if (i == n) p[i] = 1;", False),
        (f"{INDEX} if (i < m) p[i] = 1;", False),
        ("if (threadIdx.x < n) p[0] = 1;", False),  # of the block alone
        (f"{INDEX} for (; i < n; i += blockDim.x * gridDim.x) p[i] = 1;", False),
        (f"{INDEX} if (n > i + 1) p[i] = 1;", True),
        ("int y = blockIdx.y * blockDim.y + threadIdx.y; if (y < n) p[y] = 1;", False),
    ],
)
def test_guards(body: str, *, expected: bool) -> None:
    assert bool(cuts("k<<<n / 256, 256>>>(p, n, m);", body)) is expected


def test_each_launch_once_along_its_axis() -> None:
    body = """int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y; if (x < n && y < m) p[y * n + x] = 1;"""
    grid = "dim3((n + 15) / 16, m / 16)"
    (found,) = cuts(f"k<<<{grid}, dim3(16, 16)>>>(p, n, m);", body)
    assert (found.axis, found.parameter.name) == (1, "m")
    assert len(cuts("k<<<dim3(n / 16, m / 16), dim3(16, 16)>>>(p, n, m);", body)) == 1
