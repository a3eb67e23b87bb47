"""Threads that leave before a barrier: whether the others need what they have not done."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

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
