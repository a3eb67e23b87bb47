"""Loops over arrays, spans and classes with iterators of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.dataflow.control_flow import ControlFlow
from warplint.analyzer.analyses.dataflow.induction import induction
from warplint.analyzer.ir.operations import Call, MemoryAccess, OpaqueOperation, Phi

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel

STRIDED = """
class Range {
 public:
    class Iterator {
     public:
        __device__ explicit Iterator(long start) : at(start) {}
        __device__ long operator*() const { return at; }
        __device__ const Iterator &operator++() { at += step; return *this; }
        __device__ bool operator!=(const Iterator &other) const { return at < other.at; }
        __device__ void by(long n) { step = n; }
     private:
        long at;
        long step = 1;
    };
    __device__ Range(long first, long last) : first(first), last(last) {}
    __device__ Iterator begin() const { return first; }
    __device__ Iterator end() const { return last; }
    __device__ void by(long n) { first.by(n); }
 private:
    Iterator first, last;
};
__device__ Range strided(long first, long last) {
    Range range(first + threadIdx.x, last);
    range.by(blockDim.x);
    return range;
}
"""


def lowered(statements: str, before: str = "") -> Kernel:
    text = f"{before} __global__ void k(int *p, int n, std::span<int> s) {{ {statements} }}"
    kernel = cuda_module(text).kernels[0]
    assert not any(isinstance(each, Call | OpaqueOperation) for each in kernel.operations())
    return kernel


def accesses(kernel: Kernel) -> list[MemoryAccess]:
    return [each for each in kernel.operations() if isinstance(each, MemoryAccess)]


def counters(kernel: Kernel) -> int:
    """How many phis step by the same amount in each round."""
    flow = ControlFlow(kernel)
    phis = [each for each in kernel.operations() if isinstance(each, Phi)]
    return sum(induction(flow, phi) is not None for phi in phis)


def test_a_reference_is_the_element_itself() -> None:
    kernel = lowered("__shared__ int t[4]; for (auto &x : t) x += 1;")
    load, store = accesses(kernel)
    assert load.address is store.address
    assert counters(kernel) == 1


def test_a_copy_changes_nothing_in_the_range() -> None:
    kernel = lowered(
        "for (int x : s) { if (x == 3) continue; if (x > 9) break; x += 1; p[x] = 2; }"
    )
    assert [each.writes for each in accesses(kernel)] == [False, True]
    assert counters(kernel) == 1


def test_what_is_declared_before_the_range_is_known_in_the_loop() -> None:
    kernel = lowered(
        "__shared__ int t[4]; for (int m = n * 2, k = 1; auto &x : t) x += m + k;"
        "int m = 3; p[m] = 0;"
    )
    assert sorted(each.writes for each in accesses(kernel)) == [False, True, True]
    assert counters(kernel) == 1


def test_iterators_step_as_their_class_says() -> None:
    kernel = lowered("for (auto i : strided(0, n)) p[i] = 1;", STRIDED)
    (store,) = accesses(kernel)
    assert store.writes
    assert counters(kernel) == 1


def test_what_a_range_of_an_unknown_type_holds_is_not_known() -> None:
    text = "__global__ void k(int *p, Elsewhere e) { for (auto x : e) { p[x] = 1; } }"
    (store,) = accesses(cuda_module(text).kernels[0])
    assert store.writes


@pytest.mark.parametrize("condition", ["wide::any(i < n)", "::above(i) < n", "wide::T(i) < n"])
def test_what_a_loop_declares_may_stand_before_a_qualified_name(condition: str) -> None:
    """It may begin the condition as well as the type of what a loop over a range declares."""
    wide = (
        "__device__ bool above(int i) { return i > 3; }"
        "namespace wide { typedef int T; __device__ bool any(bool b) { return b; } }"
    )
    kernel = lowered(f"for (int i = 0; {condition}; i++) p[i] = 1;", wide)
    assert len(accesses(kernel)) == counters(kernel) == 1
