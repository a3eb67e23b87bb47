"""Kernels that are made for blocks of several warps, whatever block they are launched with."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_shape.several_warps import is_for_several_warps

HEAD = "__shared__ int s[64]; int t = threadIdx.x;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s[t / 32] = n; __syncthreads(); p[t] = s[t & 1];", True),
        ("s[t >> 5] = n; __syncthreads(); p[t] = s[t & 1];", True),
        ("s[t / 32] = n; p[t] = s[t & 1];", True),  # others take it, though nobody waits
        ("s[t / 32] = n; p[t] = s[t / 32];", False),  # each warp its own
        ("s[t / 16] = n; __syncthreads(); p[t] = s[t & 1];", False),
        ("s[t] = n; __syncthreads(); p[t] = s[t & 1];", False),
        ("p[t / 32] = n; __syncthreads();", False),  # not shared
        ("s[n / 32] = n; __syncthreads(); p[t] = s[t & 1];", False),  # of no thread
        ("s[t / 32] = n; __syncwarp(); p[t] = n;", False),
    ],
)
def test_a_place_for_each_warp(body: str, *, expected: bool) -> None:
    assert is_for_several_warps(body_facts(f"{HEAD} {body}")) is expected
