"""Device functions that nothing calls: which are looked at, and what is taken for given."""

from __future__ import annotations

import pytest

from warplint.analyzer.analyses.dataflow.value_numbering import alike
from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.ir.operations import Call, MemoryAccess
from warplint.analyzer.source.location import SecondCall
from warplint.analyzer.source.text import SourceText

WAITS = "__device__ int waits(int *p) { __syncthreads(); return p[threadIdx.x]; }"


def _uncalled(text: str) -> list[str]:
    return [each.name for each in read_cuda(SourceText("k.cu", text)).uncalled()]


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        ("", ["waits"]),
        ("__global__ void k(int *p) { waits(p); }", []),
        ("__device__ void around(int *p) { waits(p); }", ["around"]),
        ("template <int N> __device__ void around(int *p) { waits(p + N); }", ["around"]),
        ("using F = int (*)(int *); __device__ F chosen() { return waits; }", []),
        ("__device__ void alone(int *p) { *p = 1; }", ["waits"]),
        ("struct S { __device__ void member() { __syncthreads(); } int n; };", ["waits"]),
        ("struct S { __device__ static void part() { __syncthreads(); } };", ["waits", "part"]),
        ("__device__ void of_a_warp(int *p) { __syncwarp(); *p = 1; }", ["waits"]),
    ],
)
def test_those_with_a_barrier_that_no_function_names(rest: str, names: list[str]) -> None:
    assert _uncalled(f"{WAITS} {rest}") == names


def test_kernels_are_not_among_them() -> None:
    module = read_cuda(SourceText("k.cu", f"{WAITS} __global__ void k() {{ __syncthreads(); }}"))
    assert [each.name for each in module.kernels] == ["k"]
    assert [each.name for each in module.uncalled()] == ["waits"]


def test_what_a_function_gives_back_is_used() -> None:
    text = "__device__ int f(const int *p, int &n) { __syncthreads(); n = p[1]; return p[2]; }"
    (function,) = read_cuda(SourceText("k.cu", text)).uncalled()
    (use,) = (each for each in function.operations() if isinstance(each, Call))
    assert len(use.operands) == 2 * 2  # of two calls


def test_instances_of_templates_are_made_up() -> None:
    text = "template <int N> __device__ void f(int *p) { __syncthreads(); p[threadIdx.x] = N; }"
    (function,) = read_cuda(SourceText("k.cu", text)).uncalled()
    made = next(function.specimens())
    assert made.uncalled
    assert made.chosen


def test_the_second_of_two_calls_has_the_arguments_of_the_first() -> None:
    text = "__device__ int f(int *p, int n) { __syncthreads(); n += 1; p[n] = n; return n; }"
    (function,) = read_cuda(SourceText("k.cu", text)).uncalled()
    first, second = (each for each in function.operations() if isinstance(each, MemoryAccess))
    chains = [list(each.location.call_chain()) for each in (first, second)]
    assert [[isinstance(site, SecondCall) for site in chain] for chain in chains] == [[], [True]]
    assert alike(first.address, second.address)
