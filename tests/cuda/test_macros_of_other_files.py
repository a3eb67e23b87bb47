"""Code that leans on macros whose definitions stand in files that were not named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda.syntax.printing import as_text
from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.reader import read_source

from .reading import body, unit

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("statement", "tree"),
    [
        (
            "SWITCH(x.type(), T, m = Q<T>::norm;);",
            "(call SWITCH (call (. x type)) T (statementexpression (block (= m Q<T>::norm))))",
        ),
        (
            "SWITCH(x, T, int y = 1; f<T>(y);) z = 1;",
            "(call SWITCH x T (statementexpression (block (decl y : int = 1) (call f<T> y)))) "
            "(= z 1)",
        ),
        (
            "OUTER(a, INNER(b, f(); g();););",
            "(call OUTER a (statementexpression (block (call INNER b "
            "(statementexpression (block (call f) (call g)))))))",
        ),
    ],
)
def test_statements_among_the_arguments_of_a_macro_are_a_block(statement: str, tree: str) -> None:
    assert body(statement) == tree


def test_braces_in_arguments_are_a_list_unless_they_hold_statements() -> None:
    read = 'T t({{"a", {1, 2}}, {"b", 3}});'
    assert body(read) == '(decl t : T = (construct {{"a", {1, 2}}, {"b", 3}}))'


@pytest.mark.parametrize(
    "header",
    [
        "template <typename T> RAFT_KERNEL kernel(T* x)",
        "template <typename T, int B> RAFT_KERNEL __launch_bounds__(B) kernel(T* x)",
        "template <class P> __launch_bounds__(int((P::A) ? 1 : P::C)) __global__ void kernel(P* x)",
        "template <typename T, T (*OP)(T, const P&)> __global__ void kernel(T* x)",
        "template <class T> __global__ MY_API MY_INLINE auto kernel(T* x) -> void",
    ],
)
def test_headers_of_kernels(header: str) -> None:
    read = unit(f"{header} {{ x[0] = 1; }}")
    (function,) = read.functions
    assert function.decl.name == "kernel"
    assert "__global__" in function.decl.funcspec
    assert read.opaque[function] == []
    assert len(function.decl.type.args.params) == 1


@pytest.mark.parametrize(
    ("member", "name"),
    [
        ("__device__ operator Box<T>() const { return b; }", "operator Box<T>"),
        (
            "__device__ operator const typename A::B&() { return b; }",
            "operator const typename A::B&",
        ),
        ("__device__ MY_INLINE Holder() : b(f(1)) {}", "Holder"),
    ],
)
def test_members_without_a_type(member: str, name: str) -> None:
    read = unit(f"template <class T> struct Holder {{ {member} }};")
    (function,) = read.functions
    assert function.decl.name == name
    assert read.opaque[function] == []


def test_a_result_type_in_capitals_before_a_qualified_name_is_no_macro() -> None:
    read = unit("template <class T> __device__ STATUS Solver<T>::solve(int x) { return OK; }")
    (function,) = read.functions
    assert (function.scope, function.decl.name) == (("Solver",), "solve")
    assert read.opaque[function] == []


def test_a_qualified_template_is_not_the_variable_of_that_name() -> None:
    tree = body("ns::index<float> i(index); f(ns::less<int>{});", parameters="int index, int less")
    assert tree == (
        "(decl i : ns::index<float> = (construct index)) (call f (construct{} <ns::less<int>>))"
    )


def test_a_template_stays_one_beside_an_overload_that_is_none() -> None:
    read = unit(
        "template <int N> __global__ void k(int* p) {} void k(int a);\n"
        "void launch(int* p) { k<4><<<1, 2>>>(p); }"
    )
    assert all(lost == [] for lost in read.opaque.values())


def test_dispatch_of_torch_without_its_headers() -> None:
    read = unit(
        "#define DISPATCH(TYPE, NAME, ...) \\\n"
        "  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(at::kHalf, __VA_ARGS__) \\\n"
        "    AT_DISPATCH_CASE(at::kFloat, __VA_ARGS__))\n"
        "template <class T> __global__ void k(T* p) {}\n"
        'void f(at::Tensor x) {\n DISPATCH(x.type(), "f", [&] { k<scalar_t><<<1, 2>>>(x); });\n}'
    )
    assert all(lost == [] for lost in read.opaque.values())
    assert as_text(read.functions[1].body).count("launch") == 2


def test_a_loop_macro_is_found_in_a_header_above(tmp_path: Path) -> None:
    (tmp_path / "src" / "kernels").mkdir(parents=True)
    (tmp_path / "src" / "common").mkdir()
    header = tmp_path / "src" / "common" / "loops.h"
    header.write_text("#define MY_LOOP(i, n) for (int i = 0; i < n; ++i)\n")
    text = '#include "common/loops.h"\n__global__ void k(int* p) {\n MY_LOOP(i, 3) { p[i] = 1; }\n}'
    path = tmp_path / "src" / "kernels" / "k.cu"
    path.write_text(text)
    source, _ = read_source(path)
    assert source is not None
    read = parse_cuda(source)
    assert read.opaque[read.functions[0]] == []
    assert as_text(read.functions[0].body).startswith("(block (for ")
    header.write_text("#define OTHER 1\n")
    again = parse_cuda(source)
    assert [lost.reason for lost in again.opaque[again.functions[0]]] == [
        "macro MY_LOOP is not defined here"
    ]


def test_a_function_that_a_macro_heads_is_read() -> None:
    read = unit(
        'TEST_CASE("adds", "[gpu]") { k<<<1, 2>>>(3); }\n'
        "TEST(Gemm, 64x64x32_8x) { k<<<1, 2>>>(3); }\n"
    )
    assert [function.decl.name for function in read.functions] == ["TEST_CASE", "TEST"]
    assert all(lost == [] for lost in read.opaque.values())
