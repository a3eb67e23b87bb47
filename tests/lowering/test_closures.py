"""Lambdas that launches hand on: what they capture, what tells them apart, what their bodies do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.cuda.host.objects import leaves
from warplint.analyzer.cuda.lowering.model import ctypes
from warplint.analyzer.cuda.lowering.model.scope import LambdaValue, Scope, Typed, ValuePlace
from warplint.analyzer.ir.operations import AccessKind, Call, MemoryAccess
from warplint.analyzer.ir.types import INT32
from warplint.analyzer.ir.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warplint.analyzer.cuda.lowering.model.scope import Binding

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


def chained(count: int) -> str:
    """Host code whose lambdas each call the one before twice."""
    steps = "".join(f"auto f{i + 1} = [=] {{ f{i}(); f{i}(); }};\n" for i in range(count))
    first = "auto f0 = [=] { launch([=] __device__ (int i) { x[i] = 1; }); };\n"
    return f"void h(float *x) {{ {first}{steps}f{count}(); }}\n"


def bound_names(host: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many members of objects host code binds to names while it is read."""
    bound = 0
    hold = Scope.hold_members

    def counted(scope: Scope, name: str, members: Mapping[str, Binding]) -> None:
        nonlocal bound
        bound += sum(1 + path.count(".") for path in members)
        hold(scope, name, members)

    with monkeypatch.context() as patch:
        patch.setattr(Scope, "hold_members", counted)
        cuda_module(APPLY + host)
    return bound


def test_closures_within_closures_cost_no_more_where_there_are_more_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = (bound_names(chained(count), monkeypatch) for count in (40, 160))
    assert 0 < few == many


@pytest.mark.parametrize(("between", "known"), [(3, True), (40, False)])
def test_what_lies_in_few_closures_is_known(between: int, known: bool) -> None:
    type = ctypes.lay_out("outer", [("n", ctypes.INT, None)], union=False)
    type = replace(type, origin=LambdaValue(None, Scope()))
    for _ in range(between):
        type = ctypes.lay_out("outer", [("f", type, None)], union=False)
        type = replace(type, origin=LambdaValue(None, Scope()))
    assert bool(dict(leaves(type))) is known


def test_members_of_a_variable_are_found_by_its_name() -> None:
    scope, place = Scope(), ValuePlace(Typed(Unknown(INT32, ""), ctypes.INT))
    scope.hold_members("a", {"b.c": place, "b.d": place, "e": place})
    scope.hold_members("ab", {"c": place})
    assert scope.members_of("a") == ["a.b.c", "a.b.d", "a.e"]
    assert scope.members_of("a.b") == ["a.b.c", "a.b.d"]
    del scope.names["a.b.c"]
    assert scope.members_of("a.b") == ["a.b.d"]
    assert not scope.members_of("b")
