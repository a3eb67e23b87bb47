"""Loops with a barrier between two accesses."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel

from warplint.analyzer.analyses.conflicts.barrier_loops import barrier_loops_between

LOOP = "for (int i = 0; i < n; i++) {{ {} }}"
SYNC = LOOP.format("__syncthreads();")


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (f"s[0] = n; {SYNC} s[1] = n;", 1),
        (f"s[0] = n; {SYNC} {SYNC} s[1] = n;", 2),
        (f"s[0] = n; {LOOP.format('out[i] = n;')} s[1] = n;", 0),
        (f"{SYNC} s[0] = n; s[1] = n;", 0),
        (f"s[0] = n; s[1] = n; {SYNC}", 0),
        (LOOP.format("s[0] = n; __syncthreads(); s[1] = n;"), 0),  # around both
        (f"s[0] = n; {LOOP.format('__syncthreads(); s[1] = n;')}", 1),
        (f"s[0] = n; {LOOP.format('__syncwarp();')} s[1] = n;", 0),
        (f"if (n > 3) {{ s[0] = n; {SYNC} }} else s[1] = n;", 0),
    ],
)
def test_between_two_stores(body: str, count: int) -> None:
    facts = kernel(body)
    stores = {each.name: each for each in facts.accesses if each.name[0] == "s"}
    assert len(barrier_loops_between(facts.flow, stores["s[0]"], stores["s[1]"])) == count
