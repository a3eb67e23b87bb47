"""Functions that exist for some template arguments only: which of them a call means."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import MemoryAccess, Opcode
from warplint.analyzer.ir.values import Constant

REQUIRES = """
template <class T> struct Kind {{ static constexpr bool wide = sizeof(T) > 4; }};
template <class T> __device__ void mark(T *p) requires(Kind<T>::wide) {{ *p = 1; }}
template <class T> requires(not Kind<T>::wide && sizeof(T) > 1)
__device__ void mark(T *p) {{ *p = 2; }}
template <class T> __device__ void mark(T *p) {{ *p = 3; }}
__global__ void k(double *d, float *f, char *c, void *v) {{ {call} }}
"""
ENABLED = """
template <class T, std::enable_if_t<std::is_same_v<T, double>> * = nullptr>
__device__ void mark(T *p) {{ *p = 1; }}
template <class T, typename = std::enable_if_t<std::is_same_v<T, float>>>
__device__ void mark(T *p) {{ *p = 2; }}
template <class T> __device__ std::enable_if_t<sizeof(T) == 1, void> mark(T *p) {{ *p = 3; }}
__global__ void k(double *d, float *f, char *c, void *v) {{ {call} }}
"""
METHODS = """
struct Marks {{
    template <int N> __device__ void mark(int *p) requires(N > 4) {{ *p = 1; }}
    template <int N> __device__ void mark(int *p) requires(N <= 4) {{ *p = 2; }}
    template <int N> __device__ void both(int *p) {{ mark<N>(p); }}
}};
__global__ void k(int *p, Marks m) {{ {call} }}
"""
ALIASES = """
template <class C> using IsClass = typename std::enable_if<std::is_class<C>::value, C>::type;
template <class C> using IsReal = std::enable_if_t<std::is_floating_point_v<C>, C>;
template <class X> struct Box {{ X value; }};
struct Point {{ int x; }};
template <class X> __device__ Box<IsClass<X>> mark(X x, int *p) {{ *p = 1; return {{x}}; }}
template <class X> __device__ IsReal<X> mark(X x, int *p) {{ *p = 2; return x; }}
template <class X, class Y>
__device__ Box<IsClass<X>> min(const X &x, const Y &y) {{ return {{x}}; }}
__global__ void k(int *p, float f, Point b) {{ {call} }}
"""
UNKNOWN = """
template <class T> __device__ void mark(T *p) requires Wide<T> {{ *p = 1; }}
template <class T> __device__ void mark(T *p) requires Narrow<T> {{ *p = 2; }}
template <class T> __device__ void only(T *p) requires Narrow<T> {{ *p = 4; }}
__global__ void k(float *p) {{ {call} }}
"""


@pytest.mark.parametrize(
    ("text", "call", "stored"),
    [
        (REQUIRES, "mark(d);", [1]),
        (REQUIRES, "mark(f);", [2]),
        (REQUIRES, "mark(c);", [3]),
        (ENABLED, "mark(d);", [1]),
        (ENABLED, "mark(f);", [2]),
        (ENABLED, "mark(c);", [3]),
        (ENABLED, "mark<double>((double *)v);", [1]),
        (METHODS, "m.mark<8>(p);", [1]),
        (METHODS, "m.template mark<4>(p);", [2]),
        (METHODS, "m.both<8>(p); m.both<2>(p);", [1, 2]),
        (ALIASES, "mark(b, p);", [1]),
        (ALIASES, "mark(f, p);", [2]),
        (UNKNOWN, "mark(p);", []),
        (UNKNOWN, "only(p);", [4]),
    ],
)
def test_the_function_is_one_that_exists(text: str, call: str, stored: list[int]) -> None:
    (kernel,) = cuda_module(text.format(call=call)).kernels
    found = [
        each.operands[1].value
        for each in kernel.operations()
        if isinstance(each, MemoryAccess) and isinstance(each.operands[1], Constant)
    ]
    assert found == stored


@pytest.mark.parametrize(("given", "expected"), [("p[1], p[2]", True), ("b, b", False)])
def test_where_none_exists_that_of_cuda_is_meant(given: str, expected: bool) -> None:
    taken = "" if expected else ".value.x"
    (kernel,) = cuda_module(ALIASES.format(call=f"p[0] = min({given}){taken};")).kernels
    assert any(each.opcode is Opcode.MIN for each in kernel.operations()) is expected


@pytest.mark.parametrize(("call", "stored"), [("mark<int>(p);", 1), ("mark<int, 8>(p);", 2)])
def test_a_template_argument_that_nothing_tells_leaves_a_function_out(
    call: str, stored: int
) -> None:
    text = f"""
        template <class T> __device__ void mark(T *p) {{ *p = 1; }}
        template <class T, int N> __device__ void mark(T *p) {{ *p = 2; }}
        __global__ void k(int *p) {{ {call} }}"""
    (kernel,) = cuda_module(text).kernels
    (store,) = [each for each in kernel.operations() if isinstance(each, MemoryAccess)]
    assert isinstance(store.operands[1], Constant)
    assert store.operands[1].value == stored
