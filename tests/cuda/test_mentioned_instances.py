"""A template kernel that nothing launches in sight is looked at for the arguments a file names."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.source.text import SourceText

_KERNEL = "template <class T, int N> __global__ void k(T *p) { p[threadIdx.x] = N; }\n"


@pytest.mark.parametrize(
    ("rest", "instances"),
    [
        ("auto p = k<float, 4>;", ["k<float, 4>"]),
        ("auto p = flag ? k<float, 4> : k<int, 8>;", ["k<float, 4>", "k<int, 8>"]),
        ('void f() { register_kernel("k", &k<float, 4>); }', ["k<float, 4>"]),
        ("// k<float, 4>", [""]),
        ("template <int M> void f() { call(k<float, M>); }", [""]),
        ("template <class U> void f() { call(k<U, 4>); }", [""]),
        (
            "template __global__ void k<int, 2>(int *); auto p = k<float, 4>;",
            ["k<int, 2>"],
        ),
        ("void f(int *d) { k<int, 2><<<1, 32>>>(d); g(k<float, 4>); }", ["k<int, 2>"]),
    ],
)
def test_arguments_that_the_file_names(rest: str, instances: list[str]) -> None:
    module = read_cuda(SourceText("k.cu", _KERNEL + rest))
    assert [each.instance for each in module.kernels] == instances
