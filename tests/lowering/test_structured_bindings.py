"""Names for the members of an object: `auto [a, b] = x;`, and in loops over ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import AccessKind, MemoryAccess, OpaqueOperation
from warplint.analyzer.ir.values import Constant

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel

BEFORE = "struct Pair { int key, value; };"


def lowered(statements: str) -> Kernel:
    kernel = cuda_module(f"{BEFORE} __global__ void k(int *p, Pair *q) {{ {statements} }}").kernels[
        0
    ]
    assert not any(isinstance(each, OpaqueOperation) for each in kernel.operations())
    return kernel


def stores(kernel: Kernel) -> list[MemoryAccess]:
    accesses = [each for each in kernel.operations() if isinstance(each, MemoryAccess)]
    return [each for each in accesses if each.kind is AccessKind.STORE]


def stored(kernel: Kernel) -> list[int]:
    """The constants that the stores of a kernel put somewhere."""
    values = [store.operands[1] for store in stores(kernel)]
    return [value.value for value in values if isinstance(value, Constant)]


def test_a_name_bound_by_reference_stands_for_the_member_itself() -> None:
    assert stored(lowered("auto &[key, value] = q[threadIdx.x]; value = 7;")) == [7]


def test_a_name_bound_without_one_stands_for_a_copy() -> None:
    assert stored(lowered("auto [key, value] = q[threadIdx.x]; value = 7; p[0] = value;")) == [7]


def test_in_a_loop_over_an_array_each_element_is_taken_apart() -> None:
    kernel = lowered("__shared__ Pair s[4]; for (auto &[key, value] : s) value = 7;")
    assert stored(kernel) == [7]
    (store,) = stores(kernel)
    assert store.width == 4


def test_a_loop_over_something_unknown_binds_names_without_a_value() -> None:
    kernel = lowered("for (const auto &[key, value] : pairs(p)) p[key] = 7;")
    assert stored(kernel) == [7]
