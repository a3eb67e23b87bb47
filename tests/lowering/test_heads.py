"""Heads of classes and of branches: what stands in them beside a name or a condition."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import Call, MemoryAccess, OpaqueOperation

BY = "{ float by; __device__ void to(float *p, int i) { p[i] += by; } }"


@pytest.mark.parametrize(
    "classes",
    [
        f"struct Add final {BY};",
        f"struct Base {BY}; struct Add final : Base {{}};",
        f"struct Base {BY}; struct __align__(16) Add final : public Base {{}};",
        f"template <class T> struct final {BY}; struct Add : final<int> {{}};",
    ],
)
def test_a_class_that_is_final_has_its_members(classes: str) -> None:
    text = f"{classes} __global__ void k(float *p, int i, Add add) {{ add.to(p, i); }}"
    operations = list(cuda_module(text).kernels[0].operations())
    assert not any(isinstance(each, Call | OpaqueOperation) for each in operations)
    assert any(isinstance(each, MemoryAccess) and each.writes for each in operations)


@pytest.mark.parametrize("head", ["int k = n % 3", "int k = n % 3; k", "auto k{n % 3}; k + 1"])
def test_a_switch_declares_what_it_asks(head: str) -> None:
    text = f"__global__ void k(int *p, int n) {{ switch ({head}) {{ case 0: *p = 1; }} }}"
    operations = list(cuda_module(text).kernels[0].operations())
    assert not any(isinstance(each, OpaqueOperation) for each in operations)
