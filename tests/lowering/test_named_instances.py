"""Methods of class templates are run for each instance."""

from __future__ import annotations

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.source.text import SourceText

_HEAD = """
template <int W> struct Policy { static constexpr int threads = W; };
template <class P, class T> __global__ void k(T *p) { p[threadIdx.x] = P::threads; }
template <class P, class T> struct Test {
    T *p;
    void run() { k<P><<<1, P::threads>>>(p); }
};
"""


def _launches(rest: str, head: str = _HEAD) -> set[tuple[str, int | None]]:
    kernels = read_cuda(SourceText("k.cu", head + rest)).kernels
    return {(each.instance, launch.block[0]) for each in kernels for launch in each.launches}


def test_a_method_is_run_for_each_instance_that_it_is_called_on() -> None:
    calls = "void f() { Test<Policy<64>, int> a; Test<Policy<96>, int> b; a.run(); b.run(); }"
    assert _launches(calls) == {("k<Policy<64>, int>", 64), ("k<Policy<96>, int>", 96)}
