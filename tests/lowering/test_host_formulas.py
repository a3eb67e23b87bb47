"""What the host makes of a launch: formulas over its variables."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.host_formulas import (
    Formula,
    LaunchFormulas,
    Operation,
    Variable,
    evaluate,
    is_limited,
    variables_of,
)

KERNEL = "__global__ void k(float *out, int count) { out[threadIdx.x] = count; }\n"


def formulas(host: str) -> LaunchFormulas | None:
    (kernel,) = cuda_module(KERNEL + host).kernels
    return kernel.launches[0].formulas


def numbers_of(host: str, value: int) -> list[int | None]:
    """Grid, block and count where the only variable has a value."""
    found = formulas(host)
    assert found is not None
    parts: list[Formula | None] = [found.grid[0], found.block[0], found.arguments[1]]
    return [None if part is None else evaluate(part, {1: value, 0: value}) for part in parts]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("void f(float *p, int n) { k<<<(n + 255) / 256, 256>>>(p, n); }", [4, 256, 1000]),
        ("void f(float *p, int n) { int g = n / 256; k<<<g, 256>>>(p, n); }", [3, 256, 1000]),
        ("void f(float *p, int n) { int m = n; k<<<m, 256>>>(p, n - 1); }", [1000, 256, 999]),
        (
            "static int up(int n, int by) { if (by == 0) { return n; } return (n + by - 1) / by; }"
            "void f(float *p, int n) { k<<<up(n, 8), 64>>>(p, up(n, 0)); }",
            [125, 64, 1000],
        ),
        (
            "static int next(int n, int of) { while (n % of) n++; return n; }"
            "void f(float *p, int n) { int m = next(n, 64); k<<<n, 64>>>(p, m); }",
            [1000, 64, None],
        ),
        (
            "static int up(int n, int by) { return (n + by - 1) / by; }"
            "void f(float *p, int n) { dim3 g(up(n, 64)), b(64); k<<<g, b>>>(p, g.x * b.x); }",
            [16, 64, 1024],
        ),
        (
            "void f(float *p, int n) { k<<<n & ~31, n & 31>>>(p, (n + 255) & -256); }",
            [992, 8, 1024],
        ),
        ("void f(float *p, int n) { k<<<std::min(f(n), 9), 256>>>(p, n & n); }", [9, 256, None]),
        ("void f(float *p, int n) { k<<<ceil(n / 256.0), 256>>>(p, n); }", [4, 256, 1000]),
        ("void f(float *p, int n) { k<<<ceil(n / 256), 256>>>(p, n); }", [3, 256, 1000]),
        ("void f(float *p, int n) { k<<<(int)ceil((float)n / 64), 64>>>(p, n); }", [16, 64, 1000]),
        ("void f(float *p, int n) { k<<<ceilf(float(n) / 64), 64>>>(p, n); }", [16, 64, 1000]),
        ("void f(float *p, int n) { k<<<floor(n / 64.f), 64>>>(p, n); }", [15, 64, 1000]),
        ("void f(float *p, int n) { k<<<std::ceil(n * 0.5), 64>>>(p, n); }", [500, 64, 1000]),
        ("void f(float *p, int n) { k<<<ceil(*p / 64), 64>>>(p, n); }", [None, 64, 1000]),
        (
            "void f(float *p, int n) {"
            " int b = min(n, 256); k<<<dim3(ceil(n / b), 1, 1), dim3(b, 1, 1)>>>(p, n); }",
            [3, 256, 1000],
        ),
        (
            "double ceil(double x);void f(float *p, int n) { k<<<ceil(n / 256.0), 256>>>(p, n); }",
            [4, 256, 1000],
        ),
        (
            "int ceil(int x) { return 7; }"
            "void f(float *p, int n) { k<<<ceil(n / 256), 256>>>(p, n); }",
            [7, 256, 1000],
        ),
        (
            "void f(float *p, int n) { k<<<std::min(n, 65535), 256>>>(p, n << 1); }",
            [1000, 256, 2000],
        ),
    ],
)
def test_arithmetic_of_the_host(host: str, expected: list[int]) -> None:
    assert numbers_of(host, 1000) == expected


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ("ceil(n / 256)", 3),  # of integers: nothing is left to round
        ("ceil((float)(n / 256))", 3),
        ("ceil((float)n / 256)", 4),
        ("(int)std::ceil(n / 256.0)", 4),
        ("ceilf(1.0f * n / by)", 4),
        ("ceil(static_cast<float>(n) / static_cast<float>(by))", 4),
        ("ceil(double(n) / (by * 2)) + 1", 3),
        ("floor(n / 256.f)", 3),
        ("round(n / 256.f)", 4),
        ("ceil(n * 0.5)", 500),
        ("ceil((n + 0.5) / 8)", 126),
        ("real_up(n, by)", 4),
        ("whole_up(n, by)", None),  # what its parameters are is not looked at
        ("ceil(n * 0.1)", None),
        ("ceil(sqrt(n))", None),
        ("ceil(x / 256)", None),
    ],
)
def test_rounding_of_the_host(grid: str, expected: int | None) -> None:
    host = (
        "int real_up(int n, int b) { return ceil((float)n / b); }"
        "int whole_up(int n, int b) { return ceil(n / b); }"
        "void f(float *p, int n, float x) { int by = 256; k<<<GRID, 256>>>(p, n); }"
    )
    assert numbers_of(host.replace("GRID", grid), 1000)[0] == expected


def test_what_is_assigned_anew_is_another_variable() -> None:
    found = formulas("void f(float *p, int n) { int m = n; n = *p; k<<<m, 256>>>(p, n); }")
    assert found is not None
    grid, count = found.grid[0], found.arguments[1]
    assert isinstance(grid, Variable)
    assert isinstance(count, Variable)
    assert grid.number != count.number


def test_what_may_change_out_of_sight_is_not_known() -> None:
    host = "void g(int *); void f(float *p, int n) { g(&n); k<<<n, 256>>>(p, n); }"
    found = formulas(host)
    assert found is None or found.grid[0] is None


def test_constants_alone_need_no_formula() -> None:
    assert formulas("float *p; void f() { k<<<4, 256>>>(0, 1000); }") is None


def test_a_launch_reached_in_two_ways_has_what_both_agree_on() -> None:
    host = """
void f(float *p, int n, bool twice) {
    int count = n;
    if (twice) count = 2 * n;
    k<<<n, 256>>>(p, count);
}"""
    found = formulas(host)
    assert found is None or not isinstance(found.arguments[1], Operation)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param('scanf("%d", &n); k<<<n / 4, 64>>>(p, n);', [25, 64, 100], id="filled once"),
        pytest.param(
            'int g = 1; scanf("%d", &n); g = n / 4; cudaMalloc(&q, n); k<<<g, 64>>>(p, n);',
            [25, 64, 100],
            id="used after other calls",
        ),
        pytest.param(
            'scanf("%d", &n); int g = n / 4; scanf("%d", &n); k<<<g, 64>>>(p, 7);',
            [25, 64, 7],
            id="filled again, the first is meant",
        ),
    ],
)
def test_a_variable_that_scanf_fills_is_one_variable(body: str, expected: list[int]) -> None:
    assert numbers_of(f"void f(float *p) {{ int n; float *q; {body} }}", 100) == expected


@pytest.mark.parametrize(
    "body",
    [
        'scanf("%d", &n); int g = n / 4; scanf("%d", &n); k<<<g, 64>>>(p, n);',
        'int n = 3; while (more()) { k<<<g, 64>>>(p, n); g = n; scanf("%d", &n); }',
        'scanf("%d", &n); keep(&n); int g = n / 4; other(); k<<<g, 64>>>(p, n);',
    ],
)
def test_what_is_filled_again_is_another_value(body: str) -> None:
    found = formulas(f"void f(float *p) {{ int n, g = 1; {body} }}")
    parts = [] if found is None else [found.grid[0], found.arguments[1]]
    grid, count = parts or (None, None)
    numbers = {each.number for part in (grid,) if part is not None for each in variables_of(part)}
    counts = {each.number for part in (count,) if part is not None for each in variables_of(part)}
    assert not numbers & counts
    assert count != 3


def test_a_formula_that_takes_the_least_is_limited() -> None:
    n = Variable(0, "n")
    least = Operation("min", n, 1024)
    assert is_limited(least)
    assert is_limited(Operation("+", 1, Operation("*", least, 2)))
    assert not is_limited(Operation("/", Operation("max", n, 1), 2))
    assert not is_limited(n)
