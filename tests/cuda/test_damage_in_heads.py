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


@pytest.mark.parametrize(
    "head",
    [
        "template <class T, If<Is<typename T::U>{}, int> = 0>",
        "template <class T, If<Is<T>{} && !Is<T, int>{}, int> = 0, bool small = 3 < 4>",
    ],
)
def test_values_in_braces_end_no_head(head: str) -> None:
    read = unit(f"{head}\n__global__ void kernel(T* p) {{ p[0] = 1; }}\n{AFTER}")
    assert [each.decl.name for each in read.functions] == ["kernel", "after"]
    assert read.problems == []


def test_a_head_that_a_body_follows_is_damage() -> None:
    read = unit(f"template <class T, If<Is<T>, int\nvoid kernel(T* p) {{ p[0] = 1; }}\n{AFTER}")
    assert [problem.message for problem in read.problems] == ["unmatched <"]
