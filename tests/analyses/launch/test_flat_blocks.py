"""Kernels that number their threads in a row."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.launch.flat_blocks import is_flat

RANK = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)"
COUNT = "blockDim.x * blockDim.y * blockDim.z"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[threadIdx.x] = 1;", True),
        ("p[threadIdx.x + blockIdx.x * blockDim.x] = 1;", True),
        ("p[blockIdx.y] = 1;", True),
        (f"p[{RANK}] = 1;", True),
        ("p[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = 1;", True),
        (f"p[{RANK}] = {COUNT};", True),
        ("p[0] = blockDim.z * (blockDim.x * blockDim.y);", True),
        (f"for (int i = {RANK}; i < n; i += {COUNT}) p[i] = 1;", True),
        (
            "unsigned row = threadIdx.y + blockDim.y * threadIdx.z;"
            "p[threadIdx.x + blockDim.x * row] = n;",
            True,
        ),
        # Rows, whatever they are taken for.
        ("p[threadIdx.y] = 1;", False),
        ("p[threadIdx.z] = 1;", False),
        ("p[0] = blockDim.y;", False),
        ("p[threadIdx.y * blockDim.x + threadIdx.x] = 1;", False),
        ("p[0] = blockDim.x * blockDim.y;", False),
        ("p[0] = blockDim.x * blockDim.y * blockDim.y;", False),
        ("p[0] = blockDim.x + blockDim.y + blockDim.z;", False),
        (f"p[{RANK}] = threadIdx.y;", False),
        ("if (threadIdx.y == 0) p[threadIdx.x] = 1;", False),
        # Not the number of a thread: sizes or indices are exchanged.
        ("p[threadIdx.x + blockDim.y * (threadIdx.y + blockDim.x * threadIdx.z)] = 1;", False),
        ("p[threadIdx.y + blockDim.x * (threadIdx.x + blockDim.y * threadIdx.z)] = 1;", False),
        ("p[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.y)] = 1;", False),
        ("p[threadIdx.x - blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)] = 1;", False),
        ("p[threadIdx.x + 32 * (threadIdx.y + 8 * threadIdx.z)] = 1;", False),
        # The number of a row, taken by itself as well.
        (
            "unsigned row = threadIdx.y + blockDim.y * threadIdx.z;"
            "p[threadIdx.x + blockDim.x * row] = row;",
            False,
        ),
    ],
)
def test_threads_in_a_row(body: str, *, expected: bool) -> None:
    module = cuda_module(f"__global__ void k(int *p, int n) {{ {body} }}")
    assert is_flat(module.kernels[0]) is expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [("thread_rank()", True), ("num_threads()", True), ("thread_index().y", False)],
)
def test_groups_number_all_threads(call: str, *, expected: bool) -> None:
    module = cuda_module(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        f"__global__ void k(int *p) {{ auto g = cg::this_thread_block(); p[g.{call}] = 1; }}"
    )
    assert is_flat(module.kernels[0]) is expected
