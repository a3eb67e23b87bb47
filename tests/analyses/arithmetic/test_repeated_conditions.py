"""Conditions that are written twice: `a && a`, and integers compared with themselves."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, cuda_module, ptx_facts

from warplint.analyzer.analyses.arithmetic.repeated_conditions import repeated_conditions


def found(body: str) -> list[bool]:
    kernel = body_facts(body, parameters="int *p, const float *a, int n, int m, float x").kernel
    return [each.connects for each in repeated_conditions(kernel)]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("n > 3 && n > 3", [True]),
        ("n > 3 || n > 3", [True]),
        ("n + m < 3 && n + m < 3", [True]),
        ("n > 3 && m > 3", []),
        ("n > 3 && m > 3 && m > 3", [True]),
        ("n > 3 && m > 3 && p == 0 && n > 3", [True]),
        ("n > 3 || m > 3 || m > 3", [True]),
        ("n > 3 && m > 3 || m > 3", []),  # another row
        ("n > 3 && m > 3 && x > 3", []),
        ("n < n", [False]),
        ("n > 3 && n > 4", []),
        ("n + m == n + m", [False]),
        ("n + m < n + m", [False]),
        ("n + m < m + 1", []),
        ("x + 1 != x + 1", []),  # asks for NaN
        ("p[0] > 3 && p[0] > 3", []),  # may change in between
        ("a[0] == a[0]", []),
        ("3 == 3", []),
    ],
)
def test_both_sides_are_computed_alike(condition: str, expected: list[bool]) -> None:
    assert found(f"bool both = {condition}; p[1] = both;") == expected


def test_what_a_template_makes_of_two_names_is_not_the_writers() -> None:
    text = """template <int A, int B> __global__ void k(int *p, int n) {
        bool both = n % A == 0 && n % B == 0; p[0] = both; }
    template __global__ void k<2, 2>(int *p, int n);
    void run(int *p, int n) { k<2, 2><<<1, 32>>>(p, n); }"""
    kernels = [each for each in cuda_module(text).kernels if each.instance]
    assert kernels
    assert [list(repeated_conditions(each)) for each in kernels] == [[]] * len(kernels)


def test_what_an_argument_makes_of_two_names_is_not_the_writers() -> None:
    text = """#define SAME(a, b) ((a) < n && (b) < n)
    __device__ bool guard(int i, int end) { return i < end && end > 0 || i == end; }
    __global__ void k(int *p, int n) { p[0] = guard(n + 1, n + 1); p[1] = SAME(n - 3, n - 3); }"""
    assert list(repeated_conditions(cuda_module(text).kernels[0])) == []
    text = """__device__ bool guard(int i, int end) { return i + 1 < end && i + 1 < end; }
    __global__ void k(int *p, int n) { p[0] = guard(p[1], n); p[1] = guard(n, n + 1); }"""
    assert len(list(repeated_conditions(cuda_module(text).kernels[0]))) == 1


def test_nothing_is_said_of_ptx() -> None:
    facts = ptx_facts("add.u32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, %r3;")
    assert list(repeated_conditions(facts.kernel)) == []


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        ("AT(n, n)", []),
        ("AT((n + 1), (n + 1))", []),
        ("BOTH(n > 3, n > 3)", []),
        ("BOTH(n > 3 && m > 3, m > 3)", []),
        ("ONE(n > 3 && n > 3)", [True]),
        ("ONE((n + m) < (n + m))", [False]),
        ("ONE(n > 3 and n > 3)", [True]),
        ("BOTH(n > 3 && n > 3, m > 3)", [True]),
        ("BOTH(n > 3, m > 3) && n > 3", [True]),
        ("(n > 3) /* and */ && (n > 3)", [True]),
    ],
)
def test_the_operator_of_a_macro_joins_what_its_use_gives_it(
    used: str, expected: list[bool]
) -> None:
    text = f"""#define AT(i, j) (i < j ? i * 2 : j + 1)
    #define BOTH(a, b) (a && b)
    #define ONE(a) (a)
    __global__ void k(int *p, int n, int m) {{ int both = {used}; p[0] = both; }}"""
    kernel = cuda_module(text).kernels[0]
    assert [each.connects for each in repeated_conditions(kernel)] == expected
