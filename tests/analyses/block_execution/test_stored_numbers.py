"""Numbers that a block has stored itself: where threads are led by them in a run of the block."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind

KERNEL = """
__global__ void k(int *out, const int *in, int n) {{
    __shared__ int next[64];
    __shared__ unsigned bits[64];
    int t = threadIdx.x;
    {body}
}}
"""


@pytest.mark.parametrize(
    ("body", "meets"),
    [
        ("next[t] = t / 2; __syncthreads(); out[next[t ^ 1]] = t;", True),
        ("next[t] = 63 - t; __syncthreads(); out[next[t ^ 1]] = t;", False),
        ("next[t] = t; __syncthreads(); next[t ^ 1] = 7; __syncthreads(); out[next[t]] = t;", True),
        ("next[t] = t / 2; if (in[t]) next[t] = t; __syncthreads(); out[next[t ^ 1]] = t;", False),
        ("next[t] = t / 2; next[in[t]] = t; __syncthreads(); out[next[t ^ 1]] = t;", False),
        ("next[t] = t / 2; atomicAdd(&next[t], 1); __syncthreads(); out[next[t]] = t;", False),
        ("next[t] = t % n; __syncthreads(); out[next[t ^ 1]] = t;", False),
        ("bits[t] = t / 2; __syncthreads(); out[((int *)bits)[t ^ 1]] = t;", False),
        (
            "next[t] = t / 2; __syncthreads(); for (int i = 0; i < n; ++i) next[t] = in[i];"
            "__syncthreads(); out[next[t ^ 1]] = t;",
            False,
        ),
    ],
)
def test_what_was_stored_leads_threads(body: str, meets: bool) -> None:
    facts = facts_of(KERNEL.format(body=body), (64, 1, 1))
    found = [
        race
        for race in facts.races
        if race.kind is RaceKind.WRITES and race.definite and race.conflict.item.name == "*out"
    ]
    assert bool(found) is meets
