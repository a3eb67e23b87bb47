"""Accesses of kernels whose block or types nobody states: judged where every usual one agrees."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.access_table import judged_accesses
from warplint.analyzer.analyses.memory_traffic.sector_reuse import SectorReuse
from warplint.analyzer.analyses.warp_evaluation.reasons import (
    LOADED,
    UNKNOWN_BLOCK,
    UNKNOWN_WIDTH,
)

HEAD = """int x = blockIdx.x * blockDim.x + threadIdx.x;
int y = blockIdx.y * blockDim.y + threadIdx.y;
"""


def judged(body: str, bounds: str = "") -> list[tuple[str, float]]:
    """The reason and the ratio of each access."""
    return rows(f"__global__ void {bounds} k(float *p, const int *at, int n) {{ {HEAD} {body} }}")


def rows(text: str) -> list[tuple[str, float]]:
    (launch,) = facts_of(text).launches
    return [
        (row.reason, row.sides[0].outcome.ratio if row.sides else 0.0)
        for row in judged_accesses(launch)
    ]


def test_rows_that_every_block_walks_along_are_coalesced() -> None:
    assert judged("p[y * n + x] = 1.0f;") == [("", 1.0)]
    assert judged("p[y * 1024 + x] = 1.0f;") == [("", 1.0)]


def test_columns_are_uncoalesced_in_every_block() -> None:
    ((reason, ratio),) = judged("p[x * 1024 + y] = 1.0f;")
    assert reason == ""
    assert ratio >= 2


@pytest.mark.parametrize("bounds", ["", "__launch_bounds__(64)"])
def test_what_depends_on_the_block_is_not_known(bounds: str) -> None:
    # One row of eight bytes in a block of 8x8 is a quarter of a sector, in the others, of which one
    # has no more than 64 threads either, it is whole.
    found = judged("((unsigned char *)p)[y * 1024 + x] = 1;", bounds)
    assert found[0][0] == UNKNOWN_BLOCK


def test_a_reason_that_every_block_has_is_told() -> None:
    assert judged("p[at[y * 1024 + x]] = 1.0f;")[1][0] == LOADED


def test_blocks_that_leave_a_shared_array_have_no_say() -> None:
    body = "__shared__ float s[8][9]; s[threadIdx.x][threadIdx.y] = p[y * 1024 + x];"
    assert [reason for reason, _ in judged(body)] == ["", ""]


def open_type(body: str) -> list[tuple[str, float]]:
    """The reason and the ratio of each access of a template that nothing instantiates."""
    head = "template <typename T> __global__ void k(T *p, const T *q, int n)"
    return rows(f"{head} {{ int i = threadIdx.x; {body} }}")


def test_a_ratio_that_elements_of_every_size_have_is_known() -> None:
    assert open_type("p[i] = q[4 * i];") == [("", 4.0), ("", 1.0)]


def test_a_ratio_that_depends_on_the_size_is_not() -> None:
    # Elements of 8 bytes are side by side, between those of one byte there are gaps.
    body = "*(T *)((char *)p + 8 * i) = q[0];"
    assert open_type(body) == [("", 1.0), (UNKNOWN_WIDTH, 0.0)]


def test_open_types_share_sectors_too() -> None:
    text = """template <typename T> __global__ void k(T *p, const T *q) {
        int i = 4 * threadIdx.x;
        T sum = q[i] + q[i + 1] + q[i + 2] + q[i + 3];
        p[threadIdx.x] = sum;
    }"""
    facts = facts_of(text)
    reuse = SectorReuse(facts)
    loads = [access for access in facts.global_accesses if access.access.reads]
    assert {reuse.of(access).bytes_per_sector for access in loads} == {32.0}


def test_open_types_in_shared_memory() -> None:
    body = "__shared__ T s[64]; s[i] = q[i]; __syncthreads(); p[i] = s[2 * i & 63] + s[i];"
    known = ("", 1.0)
    assert open_type(body) == [known, known, (UNKNOWN_WIDTH, 0.0), known, known]
