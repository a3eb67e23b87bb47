"""Where the next rows and columns of blocks go on: what shape that makes."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_shape.neighbouring_tiles import neighbouring_tiles

XY = "int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;"


def shape(body: str) -> tuple[int, int] | None:
    found = neighbouring_tiles(body_facts(body, parameters="int *p, int *q, int n, int h"))
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{XY} p[y * n + x] = 1;", (16, 8)),
        (f"{XY} p[y * n + x] = 1; q[x * h + y] = 1;", (16, 8)),
        (f"{XY} if (x < n && y < h) p[y * n + x] = 1;", (16, 8)),
        (f"{XY} if (threadIdx.x < h) p[y * n + x] = 1;", None),
        (f"{XY} if (x + threadIdx.y < n) p[y * n + x] = 1;", None),
        (f"{XY} p[y * n + x] = 1; p[y * n + x + 16] = 1;", None),  # the work of several
        (f"{XY} p[y * n + x] = blockDim.x;", None),
        (f"{XY} p[y * n + x] = threadIdx.z;", None),
        (f"{XY} for (int k = 0; k < h; k++) p[y * n + x + k] = 1;", None),
        (f"{XY} p[y * n + x] = 1; q[blockIdx.x * 32 + threadIdx.x + y] = 1;", None),
        (f"{XY} p[y * n + x] = 1; q[blockIdx.x] = 1;", (16, 8)),  # follows no thread
        ("p[(blockIdx.y * 4 + threadIdx.y) * n + blockIdx.x * 4 + threadIdx.x] = 1;", None),
        ("p[(blockIdx.y * 64 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = 1;", None),
        ("p[threadIdx.y * n + blockIdx.x * 16 + threadIdx.x] = 1;", None),
    ],
)
def test_the_shape_of_a_block(body: str, expected: tuple[int, int] | None) -> None:
    assert shape(body) == expected


def test_shared_arrays_say_nothing_of_the_grid() -> None:
    body = f"{XY} __shared__ int s[9][17]; s[threadIdx.y][threadIdx.x + 1] = 1; p[y * n + x] = 1;"
    assert shape(body) == (16, 8)
