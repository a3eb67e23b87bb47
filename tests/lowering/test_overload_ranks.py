"""Which of several functions of one name is called, by how near the types are."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ir.values import Constant

OF_POINTERS = """
template <typename T> __device__ int put(T *to, T from) { return 1; }
__device__ int put(float2 *to, __half2 from) { return 2; }
__device__ int put(__half2 *to, float2 from) { return 3; }
__device__ int put(float *to, int from) { return 4; }
"""
OF_VALUES = """
struct Base { int a; };
struct Derived : Base { int b; };
template <typename T> __device__ int show(T one) { return 1; }
template <typename T> __device__ int show(T *one) { return 2; }
__device__ int show(double one) { return 3; }
__device__ int show(Base *one) { return 4; }
__device__ int walk(Base *one) { return 5; }
__device__ int walk(float *one) { return 6; }
"""
OF_ALIASES = """
__device__ int name(__half2 *one) { return 1; }
__device__ int name(float2 *one) { return 2; }
"""
OF_COMPLEX = """
__device__ int name(cuFloatComplex one) { return 1; }
__device__ int name(double2 one) { return 2; }
"""


@pytest.mark.parametrize(
    ("before", "statements", "meant"),
    [
        (OF_POINTERS, "__half2 to, from; *p = put(&to, from);", 1),
        (OF_POINTERS, "float2 to; __half2 from; *p = put(&to, from);", 2),
        (OF_POINTERS, "__half2 to; float2 from; *p = put(&to, from);", 3),
        (OF_POINTERS, "int to; *p = put(&to, n);", 1),
        (OF_POINTERS, "float to; *p = put(&to, n);", 4),
        (OF_VALUES, "float one = n; *p = show(one);", 1),
        (OF_VALUES, "double one = n; *p = show(one);", 3),
        (OF_VALUES, "float2 one; *p = show(&one);", 2),
        (OF_VALUES, "Base one; *p = show(&one);", 4),
        (OF_VALUES, "Derived one; *p = walk(&one);", 5),
        (OF_ALIASES, "half2 one; *p = name(&one);", 1),
        (OF_ALIASES, "__half2 one; *p = name(&one);", 1),
        (OF_COMPLEX, "cuComplex one; *p = name(one);", 1),
        (OF_COMPLEX, "float2 one; *p = name(one);", 1),
        (OF_COMPLEX, "cuDoubleComplex one; *p = name(one);", 2),
    ],
)
def test_the_function_that_fits_best(before: str, statements: str, meant: int) -> None:
    text = f"{before} __global__ void k(int *p, int n) {{ {statements} }}"
    accesses = [o for o in cuda_module(text).kernels[0].operations() if isinstance(o, MemoryAccess)]
    stored = [access.stored for access in accesses if access.writes]
    assert [each.value for each in stored if isinstance(each, Constant)][-1:] == [meant]
