"""For which sizes a sector ratio is claimed, and what it is at most for the others."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.access_table import counted_accesses
from warplint.analyzer.analyses.memory_traffic.ratio_ranges import RatioRange, ratio_range


def ranges(body: str, launch: str = "") -> list[RatioRange | None]:
    """Of each access, in program order."""
    head = "unsigned char *b, float *f, int n, int m"
    text = f"__global__ void k({head}) {{ int t = threadIdx.x; {body} }} {launch}"
    (found,) = facts_of(text).launches
    return [ratio_range(row) for row in counted_accesses(found)]


def test_rows_of_bytes_begin_in_a_sector_only_for_some_lengths() -> None:
    assert ranges("b[blockIdx.y * n + t] = 1;") == [RatioRange(1.0, 2.0, ("n % 32 == 0",))]


def test_rows_of_floats_need_less() -> None:
    assert ranges("f[blockIdx.y * n + t] = 1;") == [RatioRange(1.0, 1.25, ("n % 8 == 0",))]


@pytest.mark.parametrize(
    "body", ["f[blockIdx.y * 1024 + t] = 1;", "f[t] = n;", "f[8 * n + t] = 1;"]
)
def test_what_holds_for_every_size_has_no_condition(body: str) -> None:
    assert ranges(body) == [None]


def test_sizes_that_numbers_stand_for_are_tried_odd() -> None:
    launch = "void g(unsigned char *b, float *f, int n) { k<<<n, dim3(16, 16)>>>(b, f, n, n); }"
    (found,) = ranges("f[threadIdx.y * m + t + n] = 1;", launch)
    assert found is not None
    assert found.least == 1.0
    assert 1.0 < found.most <= 1.5
    assert "m % 8 == 0" in found.conditions
