"""Lambdas that launches hand on: what they capture, what tells them apart, what their bodies do."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import AccessKind, Call, MemoryAccess

APPLY = """
#include <utility>
template <class F> __global__ void apply(F f) { f(threadIdx.x); }
template <class F> void launch(F&& f) { apply<<<4, 64>>>(std::forward<F>(f)); }
"""


def labels(host: str) -> list[str]:
    """The instances that launches make."""
    return [kernel.label for kernel in cuda_module(APPLY + host).kernels]


def stores(host: str) -> list[int]:
    """How many stores each kernel makes that has no call left over."""
    return [
        sum(
            isinstance(each, MemoryAccess) and each.kind is AccessKind.STORE
            for each in kernel.operations()
        )
        for kernel in cuda_module(APPLY + host).kernels
        if not any(isinstance(each, Call) for each in kernel.operations())
    ]


@pytest.mark.parametrize(
    "host",
    [
        "void h(float *x) { apply<<<4, 64>>>([=] __device__ (int i) { x[i] = 1; }); }",
        "void h(float *x) { apply<<<4, 64>>>([x] __host__ __device__ (int i) { x[i] = 1; }); }",
        "void h(float *x) { apply<<<4, 64>>>([y = x + 1] __device__ (auto i) { y[i] = 1; }); }",
        "void h(float *x) { auto f = [=] __device__ (int i) { x[i] = 1; }; apply<<<4, 64>>>(f); }",
        "void h(float *x) { launch([=] __device__ (int i) { x[i] = 1; }); }",
        "void h(float *x) { auto f = [=] __device__ (int i) { x[i] = 1; };"
        " apply<decltype(f)><<<4, 64>>>(f); }",
        "void h(float *x) { auto f = [=] __device__ (int i) { x[i] = 1; };"
        " launch([=] __device__ (int i) { f(i); }); }",
        "struct S { float *x; void h() {"
        " apply<<<4, 64>>>([*this] __device__ (int i) { x[i] = 1; }); } };",
        "struct S { float *x; void h() { auto s = *this;"
        " launch([=] __device__ (int i) { s.x[i] = 1; }); } };",
        "template <class F> __global__ void by_name(F f) { f.operator()(threadIdx.x); }\n"
        "void h(float *x) { by_name<<<4, 64>>>([=] __device__ (int i) { x[i] = 1; }); }",
    ],
)
def test_the_kernel_runs_the_body(host: str) -> None:
    assert 1 in stores(host)


def test_lambdas_are_told_apart_by_place_and_by_the_constants_around() -> None:
    host = """
    template <int N> void h(float *x)
    {
        launch([=] __device__ (int i) { x[i] = N; });
        launch([=] __device__ (int i) { x[i + N] = N; });
        launch([=] __device__ (int i) { x[i] = 0; });
    }
    void g(float *x) { h<1>(x); h<2>(x); }
    """
    assert labels(host) == [
        "apply<lambda 1 of h, N = 1>",
        "apply<lambda 2 of h, N = 1>",
        "apply<lambda 3 of h>",
        "apply<lambda 1 of h, N = 2>",
        "apply<lambda 2 of h, N = 2>",
    ]


def test_what_may_change_is_captured_and_a_constant_is_itself() -> None:
    host = """
    void h(float *x, int m)
    {
        const int n = 8;
        int k = 4;
        launch([=] __device__ (int i) { x[i * n + k + m] = 1; });
    }
    """
    (label,) = labels(host)
    assert label == "apply<lambda 1 of h, n = 8>"


def test_a_template_that_the_file_names_with_fewer_arguments_makes_no_other_instance() -> None:
    host = """
    template <int N, class T> void h(T *x) { launch([=] __device__ (int i) { x[i] = T(N); }); }
    void g(float *x) { h<3>(x); }
    """
    assert labels(host) == ["apply<lambda 1 of h, N = 3, T = float>"]


def test_what_nobody_knows_stays_a_call() -> None:
    host = "void h(Unknown f) { launch(f); }"
    (kernel,) = cuda_module(APPLY + host).kernels
    assert any(isinstance(each, Call) for each in kernel.operations())
