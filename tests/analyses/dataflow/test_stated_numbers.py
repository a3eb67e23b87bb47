"""What the source says of parameters, and what becomes of it."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.dataflow.aligned_sizes import aligned_sizes


@pytest.mark.parametrize(
    ("statement", "least", "most"),
    [
        ("assert(n >= 8); assert(n < 64);", 8, 63),
        ("assert(n == blockDim.x);", 128, 128),
        ("assert(64 > n);", None, 63),
    ],
)
def test_ranges(statement: str, least: int | None, most: int | None) -> None:
    facts = facts_of(
        f"__global__ void k(int *out, int n) {{ {statement} out[n] = 1; }}", (128, 1, 1)
    )
    (launch,) = facts.launches
    ((parameter, known),) = launch.stated.ranges.items()
    assert (parameter.name, known) == ("n", (least, most))
    assert launch.stated.within(parameter, 1 << 20) == most


def test_what_contradicts_itself_is_not_believed() -> None:
    text = "__global__ void k(int *out, int n) { assert(n < 8); assert(n > 64); out[n] = 1; }"
    (launch,) = facts_of(text, (128, 1, 1)).launches
    assert launch.stated.ranges == {}
    assert launch.passed == {}


@pytest.mark.parametrize(
    ("statement", "races"), [("assert(n == 64);", True), ("assert(n == blockDim.x);", False)]
)
def test_a_stated_stride_keeps_threads_apart(statement: str, races: bool) -> None:
    loop = "for (int i = threadIdx.x; i < 5 * n; i += n) a[i] *= 2;"
    text = f"__global__ void k(int *a, int n) {{ {statement} {loop} }}"
    assert bool(facts_of(text, (128, 1, 1)).races) is races


@pytest.mark.parametrize(
    ("statement", "multiples"),
    [
        ("*(float4 *)&a[threadIdx.x * n] = v;", {"n": 4}),
        ("*(float2 *)&a[threadIdx.x * n + m] = w;", {"n": 2, "m": 2}),
        ("*(float4 *)&a[blockIdx.x * n * m + 4 * threadIdx.x] = v;", {"n": 4, "m": 4}),
        ("*(float4 *)&a[2 * n + 4 * threadIdx.x] = v;", {"n": 2}),
        ("((float4 *)a)[threadIdx.x * n] = v;", {}),
        ("a[threadIdx.x * n] = v.x;", {}),
        ("if (n % 4 == 0) *(float4 *)&a[threadIdx.x * n] = v; else a[threadIdx.x * n] = v.x;", {}),
    ],
)
def test_sizes_keep_vector_accesses_aligned(statement: str, multiples: dict[str, int]) -> None:
    head = "__global__ void k(float *a, float4 v, float2 w, int n, int m)"
    facts = facts_of(f"{head} {{ {statement} }}", (128, 1, 1))
    aligned = aligned_sizes(facts.kernel)
    assert {each.name: number for each, number in aligned.items()} == multiples
    (launch,) = facts.launches
    for parameter, number in aligned.items():
        assert launch.stated.within(parameter, 8 * number + 1) == 9 * number


@pytest.mark.parametrize(
    "statement", ["assert((n & (n - 1)) == 0);", "assert(0 == ((n - 1) & n) && n < 100);"]
)
def test_sizes_that_are_powers_of_two(statement: str) -> None:
    text = f"__global__ void k(int *out, int n) {{ {statement} out[n] = 1; }}"
    (launch,) = facts_of(text, (128, 1, 1)).launches
    parameter = launch.facts.kernel.parameters[1]
    assert [launch.stated.within(parameter, number) for number in (1, 33, 64)] == [1, 64, 64]


def test_powers_of_two_stay_in_their_range() -> None:
    text = (
        "__global__ void k(int *out, int n) { assert((n & (n - 1)) == 0 && n < 100); out[n] = 1; }"
    )
    (launch,) = facts_of(text, (128, 1, 1)).launches
    assert launch.stated.within(launch.facts.kernel.parameters[1], 1024) == 64


def test_other_bits_say_nothing_of_powers_of_two() -> None:
    text = "__global__ void k(int *out, int n) { assert((n & (n - 2)) == 0); out[n] = 1; }"
    (launch,) = facts_of(text, (128, 1, 1)).launches
    assert launch.stated.within(launch.facts.kernel.parameters[1], 33) == 33
