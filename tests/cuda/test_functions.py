"""What a CUDA file defines for the device, as it is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.ir.kernel import (
    FunctionInfo,
    FunctionKind,
    FunctionParameter,
    TemplateParameter,
)
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Sequence


def functions(text: str) -> Sequence[FunctionInfo]:
    """The functions of a CUDA text."""
    return read_cuda(SourceText("k.cu", text)).functions


def function(text: str) -> FunctionInfo:
    """The only function of a CUDA text."""
    (found,) = functions(text)
    return found


def parameters(declared: str) -> list[tuple[str, str, str]]:
    """Name, type and default of each parameter of a kernel that declares them so."""
    found = function(f"template <typename T> __global__ void k({declared}) {{}}").parameters
    return [(item.name, item.type, item.default) for item in found]


@pytest.mark.parametrize(
    ("declared", "name", "type", "default"),
    [
        ("int n", "n", "int", ""),
        ("int", "", "int", ""),
        ("const float *__restrict__ in", "in", "const float *__restrict__", ""),
        ("float  *\n  p /* input */", "p", "float *", ""),
        ("T (&tile)[4][5]", "tile", "T (&)[4][5]", ""),
        ("const float (*tile)[33]", "tile", "const float (*)[33]", ""),
        ("int x[]", "x", "int[]", ""),
        ("int N[N]", "N", "int[N]", ""),
        ("void (*f)(int, float)", "f", "void (*)(int, float)", ""),
        ("thrust::pair<int, T> q", "q", "thrust::pair<int, T>", ""),
        ("const __grid_constant__ Plan plan", "plan", "const __grid_constant__ Plan", ""),
        ("unsigned n = 3u", "n", "unsigned", "3u"),
        ("bool b = 1 >= 2", "b", "bool", "1 >= 2"),
        ("float4 v = make_float4(0, 0, 0, 0)", "v", "float4", "make_float4(0, 0, 0, 0)"),
    ],
)
def test_a_parameter(declared: str, name: str, type: str, default: str) -> None:
    assert parameters(declared) == [(name, type, default)]


def test_void_is_no_parameter() -> None:
    assert parameters("void") == parameters("") == []


def test_a_template_head() -> None:
    text = """\
template <typename T, int TILE = 32, template <class> class Op, class... Rest>
__global__ void k(T x, Rest... rest) {}
"""
    assert function(text).template == (
        TemplateParameter("type", "T", "typename"),
        TemplateParameter("value", "TILE", "int", "32"),
        TemplateParameter("template", "Op", "template <class> class"),
        TemplateParameter("type", "Rest", "class..."),
    )
    assert function(text).parameters[1] == FunctionParameter("rest", "Rest...")


def test_a_specialization_has_its_arguments() -> None:
    primary, special = functions(
        "template <int N, typename T> __global__ void k(T x) {}\n"
        "template <> __global__ void k<256, float>(float x) {}\n"
    )
    assert (primary.specialization, special.specialization) == ((), ("256", "float"))


def test_a_parameter_that_a_macro_wrote_is_spelt_from_the_tree() -> None:
    text = """\
#define KERNEL(name, T) \\
    __global__ void name(const T *__restrict__ a, T (*tile)[33], View<T, 2> v, int n, T &&x) {}
KERNEL(first, float)
KERNEL(second, double)
"""
    first, second = functions(text)
    assert [(one.name, one.span.line) for one in (first, second)] == [("first", 3), ("second", 4)]
    assert [item.name for item in first.parameters] == ["a", "tile", "v", "n", "x"]
    assert [item.type for item in second.parameters] == [
        "const double *__restrict__",
        "double (*)[33]",
        "View<double, 2>",
        "int",
        "double &&",
    ]


def test_members_have_their_scope_and_qualifiers() -> None:
    text = """\
namespace a { namespace b {
struct S {
    template <class U> __host__ __device__ static U same(U u) { return u; }
    __device__ __forceinline__ float operator()(int i) const { return p[i]; }
    float *p;
};
}}
"""
    same, call = functions(text)
    assert (same.scope, same.name) == (("a", "b", "S"), "same")
    assert same.kind is FunctionKind.DEVICE
    assert same.qualifiers == ("__host__", "__device__", "static")
    assert (call.name, call.qualifiers[-1]) == ("operator()", "const")


def test_instances_have_bounds_of_their_own() -> None:
    text = """\
template <int TILE> __global__ void __launch_bounds__(TILE * 8, 2) k(float *p) { p[0] = 1; }
void host(float *p) {
    k<32><<<1, 256>>>(p);
    k<64><<<4, 512, 1024>>>(p);
    k<32><<<2, 256>>>(p);
}
"""
    found = function(text)
    assert found.attributes == ("__launch_bounds__(TILE * 8, 2)",)
    assert [(one.name, one.bounds.max_threads) for one in found.instances] == [
        ("k<32>", 256),
        ("k<64>", 512),
    ]
    assert [launch.span.line for launch in found.launches] == [3, 4, 5]
    assert found.launches[1].dynamic_shared == 1024


def test_host_functions_and_declarations_are_none_of_it() -> None:
    text = (
        "__global__ void k(int *p);\n__device__ int f(int);\nvoid host(int *p) { k<<<1, 2>>>(p); }"
    )
    assert functions(text) == []


def test_statements_are_counted_where_statements_stand() -> None:
    text = """\
__device__ int f(int a, int n) {
    int b = g(h(a)), c;
    if (a) return 1; else { a++; }
    switch (a) { case 1: a = 2; break; default: ; }
    for (int i = 0; i < n; ++i)
        b += i;
    do { b--; } while (b);
    #pragma unroll
    while (c) { ; }
    goto end;
end:
    asm volatile("bar.sync 0;");
    return b;
}
"""
    # Declarations 2, if 3, switch 3, for 2, do 2, while 1, goto, asm, return.
    assert function(text).statements == 16


def test_what_could_not_be_read_has_its_place() -> None:
    found = function("__device__ void f(int *p) {\n    p[0] = 1;\n    @@@ bad;\n}")
    assert (found.status, found.statements) == ("partial", 2)
    assert [span.line for span in found.opaque] == [3]


def test_a_body_that_could_not_be_read_is_none() -> None:
    assert function("__device__ void f(int *p) {\n    @@@ bad;\n}").status == "none"


def test_a_header_that_could_not_be_read_is_told() -> None:
    found = function("__device__ int f(int a @ 3 $ b) { return 1; }")
    assert (found.name, found.status, found.parameters) == ("f", "partial", ())
    assert found.opaque[0].line == 1
    kernel = function("__global__ void k(int a @ 3 $ b) { a = 1; }")
    assert kernel.status == "partial"


def test_functions_are_described_once() -> None:
    module = read_cuda(SourceText("k.cu", "__device__ int f(int n) { return n; }"))
    assert module.functions[0] is module.functions[0]
