"""What the host decides by open conditions: launches with each of the numbers that it may pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.ir.host_formulas import Variable
from warplint.analyzer.source.text import SourceText

KERNEL = "__global__ void k(int a, int b) {} "


def _passed(body: str) -> set[tuple[int | None, ...]]:
    """The arguments of the launches, behind the width of their block."""
    text = f"{KERNEL} void run(int n, int m) {{ {body} }}"
    (kernel,) = read_cuda(SourceText("k.cu", text)).kernels
    return {(each.block[0], *each.arguments) for each in kernel.launches}


LAUNCH = "const int rest = 4096 / size; k<<<n, size>>>(size, rest);"


def _chain(numbers: list[int]) -> str:
    ways = [f"if (n > {at * 100}) size = {each};" for at, each in enumerate(numbers[:-1])]
    return f"int size; {' else '.join([*ways, f'size = {numbers[-1]};'])} {LAUNCH}"


def _choice(numbers: list[int]) -> str:
    ways = "".join(f"n > {at * 100} ? {each} : " for at, each in enumerate(numbers[:-1]))
    return f"const int size = {ways}{numbers[-1]}; {LAUNCH}"


def _cases(numbers: list[int]) -> str:
    ways = [f"case {at}: size = {each}; break;" for at, each in enumerate(numbers[:-1])]
    ways.append(f"default: size = {numbers[-1]};")
    return f"int size; switch (n) {{ {' '.join(ways)} }} {LAUNCH}"


@given(
    st.lists(st.integers(1, 1024), min_size=2, max_size=4, unique=True),
    st.sampled_from([_chain, _choice, _cases]),
)
def test_each_number_is_passed_with_what_is_made_of_it(numbers: list[int], write: object) -> None:
    assert callable(write)
    assert _passed(write(numbers)) == {(each, each, 4096 // each) for each in numbers}


@pytest.mark.parametrize(
    ("body", "passed"),
    [
        # more ways than are told apart
        (_chain([1, 2, 4, 8, 16]), {(None, None, None)}),
        # another condition chooses again
        (f"int size = 1; if (n > 1) size = 2; if (m > 1) size = 4; {LAUNCH}", {(None,) * 3}),
        # one number is not known
        (f"int size = 64; if (n > 64) size = m; {LAUNCH}", {(None, None, None)}),
        (f"const int size = n > 64 ? 64 : m; {LAUNCH}", {(None, None, None)}),
        # ways that do not come to the launch
        (f"int size = 64; if (n > 64) return; {LAUNCH}", {(64, 64, 64)}),
        (f"int size; if (n > 9) size = 1; else if (m) return; else size = 2; {LAUNCH}",
         {(1, 1, 4096), (2, 2, 2048)}),
        # what follows is run once for each pair
        ("const int a = n > 1 ? 1 : 2; const int b = m > 1 ? 3 : 4; k<<<n, 32>>>(a, b);",
         {(32, 1, 3), (32, 1, 4), (32, 2, 3), (32, 2, 4)}),
        # jumps to what one way skips
        ("int size = 8; switch (n) { case 1: { size = 4; break; case 2: size = 2; } }"
         " k<<<n, 32>>>(size, 0);", {(32, None, 0)}),
        ("int size = 8; if (n) { size = 4; goto L; } L: k<<<n, 32>>>(size, 0);", {(32, None, 0)}),
        # behind the launch, and in a loop
        ("int size = 1; k<<<n, 32>>>(size, 0); if (n > 1) size = 2;", {(32, 1, 0)}),
        ("for (int i = 0; i < n; ++i) { int size = i > 1 ? 1 : 2; k<<<n, 32>>>(size, 0); }",
         {(32, 1, 0), (32, 2, 0)}),
    ],
)  # fmt: skip
def test_what_is_told_apart(body: str, passed: set[tuple[int | None, ...]]) -> None:
    assert _passed(body) == passed


@given(st.integers(2, 1000))
def test_a_way_is_that_of_its_condition(bound: int) -> None:
    body = f"const int size = n < {bound} ? 32 : 64; k<<<1, size>>>(n, size);"
    text = f"{KERNEL} void run(int n, int m) {{ {body} }}"
    (kernel,) = read_cuda(SourceText("k.cu", text)).kernels
    for launch in kernel.launches:
        assert launch.formulas is not None
        passed = launch.formulas.arguments[0]
        assert isinstance(passed, Variable)
        assert (bound - 1 in passed.limits) is (launch.block[0] == 32)
        assert (bound in passed.limits) is (launch.block[0] == 64)
