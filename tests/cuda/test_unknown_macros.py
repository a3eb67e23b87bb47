"""Macros without a definition in sight, where the code shows what they stand for."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.ir.operations import Call
from warplint.analyzer.source.text import SourceText

BODY = "{ out[threadIdx.x] = 1; }"


def kernels(text: str) -> list[str]:
    return [kernel.name for kernel in cuda_module(text).kernels]


@pytest.mark.parametrize(
    "header",
    [
        "OUR_ENTRY void k(float *out)",
        "OUR_ENTRY k(float *out)",
        "template <typename T> OUR_ENTRY k(T *out)",
        "__launch_bounds__(256) OUR_ENTRY k(float *out)",
        "__launch_bounds__(256) RAFT_KERNEL k(float *out)",
        "static OUR_ENTRY void k(float *out)",
        "OUR_ENTRY __launch_bounds__(256) void k(float *out)",
    ],
)
def test_what_nobody_calls_and_asks_for_its_thread_is_a_kernel(header: str) -> None:
    assert kernels(f"{header} {BODY}") == ["k"]


@pytest.mark.parametrize(
    "text",
    [
        f"OUR_INLINE void f(float *out) {BODY} __global__ void k(float *out) {{ f(out); }}",
        "OUR_INLINE int f() { return threadIdx.x; } __global__ void k(int *out) { *out = f(); }",
        "Point f(float *out) { return {out[threadIdx.x]}; } __global__ void k() {}",
        "OUR_INLINE void f(float *out) { *out = 1; } __global__ void k() {}",
        f"struct S {{ OUR_INLINE void f(float *out) {BODY} }}; __global__ void k() {{}}",
        f"template <class T> OUR_INLINE void f(T *out) {BODY}"
        "__global__ void k(float *out) { f<float>(out); }",
        f"template <class A, int N> OUR_INLINE void f(float *out) {BODY}"
        "__global__ void k(float *out) { f<Pair<int, Pair<int>>, 1 + 2>(out); }",
    ],
)
def test_other_functions_are_none(text: str) -> None:
    assert kernels(text) == ["k"]


def test_a_launch_with_template_arguments_is_no_call() -> None:
    text = f"template <class T> OUR_ENTRY void k(T *out) {BODY}"
    assert kernels(f"{text} void h(float *p) {{ k<float><<<1, 32>>>(p); }}") == ["k"]


CALLS = "__global__ void k(int *out) {{ {} }}"


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("OUR_INLINE int f(int i) { return i + 1; }", "*out = f(2);"),
        ("template <class T> OUR_INLINE T f(T i) { return i + 1; }", "*out = f(2);"),
        ("template <class T> OUR_INLINE T f(T i) { return i + 1; }", "*out = f<int>(2);"),
        ("static OUR_INLINE const int &f(const int &i) { return i; }", "*out = f(2);"),
        ("OUR_INLINE inline int f(int i) { return i + 1; }", "*out = f(2);"),
        ("OUR_INLINE int g(int i) { return i; } OUR_INLINE int f(int i) { return g(i); }",
         "*out = f(2);"),
        ("struct S { OUR_INLINE int f(int i) { return i; } };", "S s; *out = s.f(2);"),
        ("struct S { int i; OUR_INLINE S(int i) : i(i) {} };", "S s(2); *out = s.i;"),
        ("struct S { OUR_INLINE int f(int i); };"
         "OUR_INLINE int S::f(int i) { return i; }", "S s; *out = s.f(2);"),
    ],
)  # fmt: skip
def test_what_device_code_calls_is_device_code(text: str, body: str) -> None:
    (kernel,) = cuda_module(f"{text} {CALLS.format(body)}").kernels
    assert not [each for each in kernel.operations() if isinstance(each, Call)]


@pytest.mark.parametrize(
    "text",
    [
        "int f(int i) { return i + 1; }",  # no macro: an error, or another f is meant
        "Type f(int i) { return i + 1; }",
        "unsigned short f(int i) { return i; }",
        "std::size_t f(int i) { return i; }",
        "Type S::f(int i) { return i; }",
        "Type A<int>::f(int i) { return i; }",
        "EXPORTED int f(int i) { return i + 1; } __host__ int f(char i) { return i; }",
    ],
)
def test_what_has_no_macro_or_says_itself_where_it_runs_stays(text: str) -> None:
    (kernel,) = cuda_module(f"{text} {CALLS.format('*out = f(2);')}").kernels
    assert [each.callee for each in kernel.operations() if isinstance(each, Call)]


def test_what_no_device_code_calls_stays() -> None:
    text = "EXPORTED int f(int i) { return i; } EXPORTED void h(int *p) { k<<<1, f(32)>>>(p); }"
    (kernel,) = cuda_module(f"{CALLS.format('*out = 1;')} {text}").kernels
    assert [launch.block for launch in kernel.launches] == [(32, 1, 1)]


def test_bounds_behind_the_macro_are_kept() -> None:
    (kernel,) = cuda_module(f"__launch_bounds__(128) OUR_ENTRY void k(float *out) {BODY}").kernels
    assert kernel.bounds.max_threads == 128


@pytest.mark.parametrize(
    "declaration",
    [
        "unsigned OUR_ALIGN(16) words[8];",
        "unsigned words alignas(16)[8];",
        "alignas(16) unsigned words[8];",
    ],
)
def test_attributes_of_arrays(declaration: str) -> None:
    text = f"__global__ void k(unsigned *out) {{ {declaration} words[0] = 1; *out = words[0]; }}"
    (kernel,) = cuda_module(text).kernels
    assert kernel.status == "full"
    assert [item.size for item in kernel.objects if item.name == "words"] == [32]


def test_an_alignment_behind_the_name_counts() -> None:
    text = "__global__ void k(int *out) { __shared__ char b alignas(16)[32]; *out = b[0]; }"
    (kernel,) = cuda_module(text).kernels
    assert [item.alignment for item in kernel.objects if item.name == "b"] == [16]


def test_a_launch_in_parentheses() -> None:
    text = (
        f"__global__ void k(float *out, int n) {BODY} void h(float *p) {{ (k<<<4, 64>>>)(p, 5); }}"
    )
    (kernel,) = cuda_module(text).kernels
    assert [(each.grid[0], each.block[0], each.arguments[1]) for each in kernel.launches] == [
        (4, 64, 5)
    ]


def test_a_comparison_in_parentheses_stays() -> None:
    text = "__global__ void k(int *out, int a, int b) { *out = (a >> b) + (a < b); }"
    (kernel,) = cuda_module(text).kernels
    assert kernel.status == "full"


@pytest.mark.parametrize(
    "written",
    [
        'QUOTED(DIR) "a.obj"',
        '"in " QUOTED(DIR) "/a.obj"',
        'QUOTED(QUOTED(DIR) "x") "a" QUOTED(DIR) "b"',
        'QUOTED((DIR, 1)) "a.obj"',
    ],
)
def test_a_call_beside_a_string_is_a_macro_that_makes_one(written: str) -> None:
    module = cuda_module(
        "__global__ void k(int *out) { *out = 1; }"
        f"void run(int *out) {{ std::string name = {written}; load({written}, out);"
        f" Mesh m({written}); k<<<1, 32>>>(out); }}"
    )
    assert [launch.kernel for launch in module.launches] == ["k"]
    assert not module.problems


def test_a_cast_of_a_string_keeps_its_type() -> None:
    assert not cuda_module('void f() { g((char *)"a"); h(QUOTED(x), (char *)"b"); }').problems


def test_a_pragma_in_a_macro_counts_for_the_loop_behind_it() -> None:
    module = cuda_module(
        "#define FULL #pragma unroll\n#define TWICE #pragma unroll (2)\n"
        "__global__ void k(int *out, int n) {\n"
        "FULL for (int i = 0; i < 4; i++) out[i] = 1;\n"
        "TWICE for (int i = 0; i < n; i++) out[i] = 2; }"
    )
    assert not module.problems
    assert sorted(module.kernels[0].unrolling.values()) == [0, 2]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int *p) : x { *p = 2; } p[0] = 1;",
        "__global__ void k(int *p) : x { *p = 2; } int q = 1;",
        "int f()) __global__ void k(int *p) : x { *p = 2; } p[0] = 1;",
        "void f() { x = i g(y; } __global__ void k(int *p) { *p = 2; } void e() { q) h = 1; }",
    ],
)
def test_a_kernel_in_what_ends_like_a_declaration_is_not_lost_silently(text: str) -> None:
    module = read_cuda(SourceText("test.cu", text))
    assert module.kernels or module.problems


def test_braces_in_a_default_argument_are_no_body() -> None:
    assert not cuda_module("__global__ void k(float4 v = {}); int x = 1;").problems
