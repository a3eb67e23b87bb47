"""Damage in the head of a statement: found by mutating real files."""

from __future__ import annotations

import pytest

from .reading import unit

AFTER = "__global__ void after(float* p) { p[threadIdx.x] = 1.f; }"


@pytest.mark.parametrize(
    "head",
    [
        "for (int i = 0; < i n; ++i)",
        "for (int i = 0; i < (n / 2; ++i)",
        "for (int i = 0 i < n; ++i)",
        "for (; i < n; ++i",
        "if (int i = 0; < i n)",
        "while (int i = )",
    ],
)
def test_a_broken_head_costs_its_statement_only(head: str) -> None:
    read = unit(
        f"__global__ void kernel(float* p, int n) {{\n p[1] = 1.f;\n {head} {{\n p[i] = 2.f;\n }}\n"
        f" p[3] = 3.f;\n}}\n{AFTER}"
    )
    first, second = read.functions
    assert [first.decl.name, second.decl.name] == ["kernel", "after"]
    assert read.opaque[first] != []
    assert read.opaque[second] == []
    assert all(2 < lost.coord.line <= 6 for lost in read.opaque[first])
