"""Threads that leave before a barrier: whether the others need what they have not done."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.barriers.barrier_divergence import partial_exits
from warplint.analyzer.analyses.barriers.skipped_work import skips_shared_work

HEAD = "__shared__ int s[64], r[64]; int t = threadIdx.x; int *q = n ? s : r;"
EXIT = "if (t >= n) return;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{EXIT} s[t] = n; __syncthreads(); p[t] = s[63 - t];", True),
        (f"s[t] = n; {EXIT} __syncthreads(); p[t] = s[63 - t];", False),  # before they leave
        (f"{EXIT} s[t] = n; __syncthreads(); p[t] = r[63 - t];", False),  # another array
        (f"{EXIT} s[t] = n; __syncthreads(); p[t] = n;", False),
        (f"{EXIT} p[t] = n; __syncthreads(); p[t] = p[63 - t];", False),  # not shared
        (f"{EXIT} p[t] = s[t]; __syncthreads(); s[t] = n;", False),
        (f"{EXIT} q[t] = n; __syncthreads(); p[t] = r[63 - t];", True),  # perhaps r
        (f"{EXIT} atomicAdd(&s[0], 1); __syncthreads(); p[t] = s[0];", True),
    ],
)
def test_what_is_carried_over_the_barrier(body: str, *, expected: bool) -> None:
    facts = body_facts(f"{HEAD} {body}")
    (exit,) = partial_exits(facts)
    assert skips_shared_work(facts, exit) is expected


@pytest.mark.parametrize(
    ("loaded", "expected"),
    [
        ("s[32 * (31 - threadIdx.y) + threadIdx.x]", False),
        ("s[32 * threadIdx.y + 31 - threadIdx.x]", True),
        ("s[32 * threadIdx.y + (threadIdx.x + 1) % 32]", True),
        ("s[threadIdx.x]", False),
        ("s[33 * threadIdx.y + threadIdx.x]", True),
        ("s[n]", True),
    ],
)
def test_columns_that_leave_take_nothing_with_them(loaded: str, *, expected: bool) -> None:
    text = f"""__global__ void k(int *p, int n) {{ __shared__ int s[33 * 32];
        if (32 * blockIdx.x + threadIdx.x >= n) return;
        s[32 * threadIdx.y + threadIdx.x] = n;
        __syncthreads();
        p[threadIdx.x] = {loaded}; }}"""
    facts = facts_of(text, (32, 32, 1))
    (exit,) = partial_exits(facts)
    assert skips_shared_work(facts, exit) is expected
