"""What is written through a reference that is not followed, and arrays that are copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import (
    AccessKind,
    Call,
    MemoryAccess,
    OpaqueOperation,
)
from warplint.analyzer.ir.values import Constant, ObjectAddress

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel

BEFORE = """
#include <array>
struct Pair { int x, y; };
__device__ int &pick(bool c, int &a, int &b) { if (c) return a; return b; }
__device__ decltype(auto) first(Pair &v) { return (v.x); }
__device__ auto second(Pair &v) -> int & { return v.y; }
__device__ void set(int &held) { held = 9; }
__device__ int shifted(std::array<int, 4> a, int n) { a[0] += n; return a[0]; }
__device__ int summed(std::array<int, 4> a) { return a[0] + a[3]; }
template <class T> __device__ void cleared(T a) { a[0] = 0; }
template <class T, size_t N> __device__ int length(std::array<T, N> a) { return N; }
"""


def lowered(statements: str) -> Kernel:
    text = f"{BEFORE}\n__global__ void k(int *out, int c) {{ {statements} }}"
    return cuda_module(text).kernels[-1]


def results(statements: str) -> list[int | None]:
    """What is stored to `out`, in order; None where it is not known."""
    return [
        value.value if isinstance(value := each.operands[1], Constant) else None
        for each in lowered(statements).operations()
        if isinstance(each, MemoryAccess)
        and each.kind is AccessKind.STORE
        and not isinstance(each.operands[0], ObjectAddress)
    ]


TWO = "int a = 1, b = 2; int z = 3;"


@pytest.mark.parametrize(
    "statement",
    [
        "pick(c, a, b) = 5;", "++pick(c, a, b);", "pick(c, a, b) += 2;", "set(pick(c, a, b));",
        "(c ? a : b) = 5;", "set(c ? a : b);", "int &r = c ? a : b; r += 5;",
        "atomicAdd(&pick(c, a, b), 5);", "unseen(a, b) = 5;", "unseen<0>(a, b)++;",
        "auto &r = unseen(a, b); r = 5;",
    ],
)  # fmt: skip
def test_none_of_the_places_is_known_that_a_reference_may_lead_to(statement: str) -> None:
    assert results(f"{TWO} {statement} *out = a; *out = b; *out = z;") == [None, None, 3]


@pytest.mark.parametrize(
    "statement", ["*out = pick(c, a, b);", "const int &r = c ? a : b; *out = r;", "unseen(a, b);"]
)
def test_what_is_only_read_through_a_reference_stays_known(statement: str) -> None:
    assert results(f"{TWO} {statement} *out = a; *out = b;")[-2:] == [1, 2]


def test_a_reference_to_one_place_is_that_place() -> None:
    statements = "Pair v{1, 2}; first(v) = 5; second(v) = 6; *out = v.x; *out = v.y;"
    assert results(statements) == [5, 6]


def test_what_was_written_through_a_named_reference_is_read_by_its_name() -> None:
    assert results(f"{TWO} int &r = pick(c, a, b); r = 7; *out = r; *out = a;") == [7, None]


def test_a_number_beside_an_object_is_an_index() -> None:
    statements = "Pair v{1, 2}; int i = 3; unseen(v, i) = 5; v.unseen(i) = 6; *out = i; *out = v.x;"
    assert results(statements) == [3, None]


def test_arguments_are_evaluated_once() -> None:
    statements = "int a[4]; int i = 0; unseen<0>(a[i++]) = 5; ++unseen(a[i++]); *out = i;"
    assert results(statements) == [2]
    assert len([o for o in lowered(statements).operations() if isinstance(o, Call)]) == 2


def test_memory_behind_a_reference_is_for_who_reads_the_assignment() -> None:
    kernel = lowered("unseen(out, c) = 5; *out = c;")
    assert len([o for o in kernel.operations() if isinstance(o, OpaqueOperation)]) == 1


def accesses(statements: str) -> list[str]:
    """Loads and stores of arrays of the thread beyond those that fill them, by name."""
    return [
        f"{each.kind.value} {each.operands[0].object.name}"
        for each in lowered(statements).operations()
        if isinstance(each, MemoryAccess) and isinstance(each.operands[0], ObjectAddress)
    ][1:]


ARRAY = "std::array<int, 4> held{1, 2, 3, 4};"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("*out = shifted(held, 3);", ["load held", "store a", "load a", "store a", "load a"]),
        ("cleared(held);", ["load held", "store a", "store a"]),
        ("auto b = held; b[0] = 5;", ["load held", "store b", "store b"]),
        ("std::array<int, 4> b = held; b[0] = 5;", ["load held", "store b", "store b"]),
        ("std::array<int, 4> b; b = held;", ["load held", "store b"]),
        ("*out = summed(held);", ["load held"]),
    ],
    ids=["passed", "deduced", "auto", "initialised", "assigned", "only-read"],
)
def test_a_standard_array_is_copied_where_the_copy_is_changed(
    statement: str, expected: list[str]
) -> None:
    assert accesses(f"{ARRAY} {statement}") == expected


def test_a_built_in_array_is_passed_by_its_address() -> None:
    assert accesses("int held[4] = {1, 2, 3, 4}; cleared(held);") == ["store held"]


def test_elements_and_extent_of_a_standard_array_are_deduced() -> None:
    assert results(f"{ARRAY} *out = length(held);")[-1] == 4
