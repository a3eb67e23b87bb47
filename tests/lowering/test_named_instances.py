"""Methods of class templates are run for the instances that a file names."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    "names",
    [
        "typedef Test<Policy<64>, float> A;",
        "using A = Test<Policy<64>, float>;",
        "namespace n { typedef ::Test<Policy<64>, float> A; }",
        "using Small = Policy<64>; using A = Test<Small, float>;",
        "typedef Test<Policy<64>, float> A; typedef Test<Policy<64>, float> B;",
        "template class Test<Policy<64>, float>;",
        "template struct ::Test<Policy<64>, float>;",
        "namespace n { using Small = Policy<64>; template struct ::Test<Small, float>; }",
    ],
)
def test_the_instance_that_has_a_name(names: str) -> None:
    assert _launches(names) == {("k<Policy<64>, float>", 64)}


def test_each_instance_that_has_a_name() -> None:
    names = "typedef Test<Policy<64>, float> A; typedef Test<Policy<96>, double> B;"
    assert _launches(names) == {("k<Policy<64>, float>", 64), ("k<Policy<96>, double>", 96)}


@pytest.mark.parametrize(
    "names",
    [
        "",
        "template <int W> using A = Test<Policy<W>, float>;",
        "template <int W> struct In { using A = Test<Policy<W>, float>; };",
        "template <class P, class T> struct Other {}; typedef Other<Policy<64>, float> A;",
        "template <class P, class T> struct Other {}; template struct Other<Policy<64>, float>;",
        "extern template struct Elsewhere<Policy<64>, float>;",
    ],
)
def test_what_is_open_stays_open(names: str) -> None:
    assert _launches(names) == {("k<P>", None)}


def test_methods_that_somebody_calls_are_run_for_those_calls() -> None:
    calls = "typedef Test<Policy<64>, float> A; void f() { Test<Policy<32>, int> t; t.run(); }"
    assert ("k<Policy<32>, int>", 32) in _launches(calls)


def test_a_method_is_run_for_each_instance_that_it_is_called_on() -> None:
    calls = "void f() { Test<Policy<64>, int> a; Test<Policy<96>, int> b; a.run(); b.run(); }"
    assert _launches(calls) == {("k<Policy<64>, int>", 64), ("k<Policy<96>, int>", 96)}


def test_methods_that_a_method_calls_are_run_for_the_same_instance() -> None:
    head = _HEAD.replace("void run()", "void start() { run(); } void run()")
    assert _launches("using A = Test<Policy<64>, float>;", head) == {("k<Policy<64>, float>", 64)}


def test_a_method_defined_outside_of_its_class() -> None:
    head = _HEAD.replace(
        "void run() {", "void run(); }; template <class P, class T> void Test<P, T>::run() {"
    )
    head = head.replace("(p); }\n};", "(p); }\n")
    assert _launches("using A = Test<Policy<64>, float>;", head) == {("k<Policy<64>, float>", 64)}
