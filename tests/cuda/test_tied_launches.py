"""Made-up template arguments and the launch that passes them are made of the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.cuda.tied_launches import tied
from warplint.analyzer.ir.host_formulas import LaunchFormulas, Operation, Variable, evaluate
from warplint.analyzer.ir.kernel import Launch
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from warplint.analyzer.ir.host_formulas import Formula
    from warplint.analyzer.ir.kernel import Kernel

N, M = Variable(0, "N"), Variable(1, "M")
_SPAN = Span(SourceText("k.cu", "k"), 0, 1)


def _launch(block: Formula | None, *passed: Formula | None) -> Launch:
    formulas = LaunchFormulas((N, 1, 1), (block, 1, 1))
    nothing = (None, None, None)
    return Launch("k", nothing, nothing, None, _SPAN, formulas=formulas, template_formulas=passed)


def _specimens(
    host: str, kernel: str = "template <int A, int B> __global__ void k(int *p)"
) -> list[Kernel]:
    text = f"{kernel} {{ p[A] = B; }} {host}"
    (found,) = read_cuda(SourceText("k.cu", text)).kernels
    return list(found.specimens())


@given(st.integers(1, 1024), st.integers(1, 1024))
def test_what_is_passed_and_the_block_are_of_the_same_numbers(first: int, second: int) -> None:
    block = Operation("/", Operation("*", N, M), 4)
    found = tied({0: first, 1: second}, [_launch(block, N, M)])
    threads = evaluate(block, {0: first, 1: second})
    assert threads is not None
    if not 32 <= threads <= 1024:
        assert found is None
    else:
        assert found is not None
        assert found.numbers == {0: first, 1: second}
        assert found.launches[0].block == (threads, 1, 1)
        assert found.launches[0].grid == (first, 1, 1)


@given(st.integers(1, 256), st.integers(1, 256))
def test_what_the_host_computes_is_not_chosen(first: int, second: int) -> None:
    found = tied({0: first, 1: second}, [_launch(128, Operation("/", 128, N), N)])
    if second > 128:
        assert found is None  # none of 0
    else:
        assert found is not None
        assert found.numbers == {0: 128 // second, 1: second}


def test_one_variable_in_one_argument_is_the_number_made_up_for_it() -> None:
    found = tied({0: 32}, [_launch(N, Operation("*", N, 2))])
    assert found is not None
    assert found.numbers == {0: 64}
    assert found.launches[0].block == (32, 1, 1)


def test_launches_that_pass_other_numbers_are_left_out() -> None:
    once, twice = _launch(N, N, M), _launch(M, N, Operation("*", N, 2))
    found = tied({0: 64, 1: 64}, [once, twice])
    assert found is not None
    assert [each.block for each in found.launches] == [(64, 1, 1)]


def test_launches_of_other_shapes_are_kept_apart() -> None:
    found = tied({0: 64, 1: 32}, [_launch(N, N, M), _launch(M, N, M)])
    assert found is not None
    assert [each.block[0] for each in found.launches] == [64, 32]


def test_what_is_of_several_variables_is_left_as_it_was_chosen() -> None:
    found = tied({0: 64}, [_launch(None, Operation("*", N, M))])
    assert found is not None
    assert found.numbers == {0: 64}
    assert found.launches[0].block == (None, None, None)


def test_without_launches_any_numbers_will_do() -> None:
    found = tied({0: 7}, [])
    assert found is not None
    assert found.numbers == {0: 7}


def test_limits_of_the_host_hold() -> None:
    host = """template <int N> void f(int *p) { if (N > 64) return; k<N, 2><<<1, N>>>(p); }"""
    numbers = {dict(each.chosen)["A"] for each in _specimens(host)}
    assert numbers
    assert all(isinstance(each, int) and each <= 64 for each in numbers)


@pytest.mark.parametrize(
    ("host", "block"),
    [
        ("constexpr int n = A * B / 2; k<A, B><<<1, n>>>(p);", "A * B // 2"),
        ("dim3 const block(A, 2); cudaGetLastError(); k<A, B><<<1, block>>>(p);", "A * 2"),
        ("const int n = 256 / B; k<n, B><<<1, n * B>>>(p);", "256 // B * B"),
    ],
)
def test_blocks_belong_to_the_template_arguments(host: str, block: str) -> None:
    found = _specimens(f"template <int A, int B> void f(int *p) {{ {host} }}")
    assert found
    for each in found:
        numbers = {name: number for name, number in each.chosen if isinstance(number, int)}
        assert [launch.threads for launch in each.launches] == [eval(block, {}, numbers)]


def test_numbers_of_a_run_are_no_template_arguments() -> None:
    found = _specimens("template <int A> void f(int *p, int n) { k<A, 2><<<1, n>>>(p); }")
    assert found
    assert all(launch.block == (None, 1, 1) for each in found for launch in each.launches)


def test_no_choice_comes_twice() -> None:
    found = _specimens("template <int A> void f(int *p) { k<128 / A, A><<<1, 128>>>(p); }")
    assert len({each.chosen for each in found}) == len(found)
