"""Kernels that are made for rows of threads."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.launch.flat_blocks import is_flat

RANK = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)"
ALL = "blockDim.x * blockDim.y * blockDim.z"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[threadIdx.x] = blockDim.x;", True),
        ("p[threadIdx.y] = 1;", False),
        ("p[blockDim.z] = 1;", False),
        (f"p[{RANK}] = 1;", True),
        (f"for (int i = {RANK}; i < n; i += {ALL}) p[i] = 1;", True),
        (f"p[{RANK}] = threadIdx.y;", False),
        ("p[threadIdx.x + blockDim.x * threadIdx.y] = 1;", False),  # of two indices alone
        (f"int row = threadIdx.y + blockDim.y * threadIdx.z; p[{RANK}] = row;", False),
        ("p[0] = blockDim.x * blockDim.y;", False),
        (f"p[0] = {ALL};", True),
    ],
)
def test_what_is_asked_of_threads(body: str, *, expected: bool) -> None:
    assert is_flat(body_facts(body).kernel) is expected
