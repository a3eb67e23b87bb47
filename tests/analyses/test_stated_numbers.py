"""What the source says of parameters, and what becomes of it."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.aligned_sizes import aligned_sizes


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
