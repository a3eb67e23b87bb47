"""Blocks that wait for other blocks, which need not be resident."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.inter_block.cross_block import (
    RESIDENT,
    CrossBlock,
    CrossKind,
    cross_block_waits,
)

ALL = "atomicAdd(count, 1); while (atomicAdd(count, 0) < gridDim.x) {}"
OTHER = """atomicExch(&count[blockIdx.x], 1);
while (atomicAdd(&count[(blockIdx.x + 1) % n], 0) == 0) {}"""


def waits(body: str, launch: str = "") -> list[CrossBlock]:
    text = f"""#include <cooperative_groups.h>
    __global__ void k(int *p, int *count, volatile int *v, int n) {{ {body} }}
    void run(int *p, int *count, int n) {{ {launch} }}"""
    return list(cross_block_waits(facts_of(text, None)))


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (ALL, [CrossKind.ALL_BLOCKS]),
        (OTHER, [CrossKind.OTHER_BLOCK]),
        ("while (count[0] == 0) {}", [CrossKind.PLAIN_LOAD]),
        ("while (v[0] == 0) {}", []),  # of the host, perhaps
        ("while (atomicCAS(count, 0, 1) != 0) {}", []),  # a lock
        ("while (atomicAdd(&count[blockIdx.x], 0) == 0) {}", []),  # nobody sets another
        ("cooperative_groups::this_grid().sync();", []),  # no launch in sight
    ],
)
def test_what_waits(body: str, kinds: list[CrossKind]) -> None:
    assert [each.kind for each in waits(body)] == kinds


@pytest.mark.parametrize(
    ("launch", "large"),
    [
        (f"k<<<{RESIDENT + 1}, 64>>>(p, count, 0, n);", [True]),
        (f"k<<<{RESIDENT}, 64>>>(p, count, 0, n);", []),  # any GPU has room
        ("k<<<n, 64>>>(p, count, 0, n);", [False]),
        ("k<<<4, 64>>>(p, count, 0, n); k<<<400, 64>>>(p, count, 0, n);", [True]),
        ("", [False]),
    ],
)
def test_launches(launch: str, large: list[bool]) -> None:
    assert [each.is_large for each in waits(ALL, launch)] == large


def test_a_barrier_of_the_grid_in_an_ordinary_launch() -> None:
    body = "cooperative_groups::this_grid().sync();"
    (found,) = waits(body, "k<<<4, 64>>>(p, count, 0, n);")
    assert found.kind is CrossKind.GRID_SYNC
    assert found.launch is not None
    together = "cudaLaunchCooperativeKernel((void *)k, 4, 64, 0, 0, 0);"
    assert waits(body, together) == []


@pytest.mark.parametrize(
    ("body", "earlier"),
    [
        (OTHER, False),
        (
            "atomicExch(&count[blockIdx.x], 1);"
            "if (blockIdx.x) while (atomicAdd(&count[blockIdx.x - 1], 0) == 0) {}",
            True,
        ),
    ],
)
def test_waits_for_smaller_numbers(body: str, *, earlier: bool) -> None:
    assert [each.is_for_earlier for each in waits(body)] == [earlier]
