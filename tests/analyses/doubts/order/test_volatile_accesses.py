"""What `volatile` may be meant for: lanes of one warp, where a loop waits for a write."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import block_candidates, kernel

from warplint.analyzer.analyses.doubts.order.volatile_accesses import DOUBT

COUNTED = "if (t == 0) atomicAdd(out, 1);"
LOOKS = "*(volatile int *)out"


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        (f"{COUNTED} while ({LOOKS} < n) {{}}", {True}),
        (f"{COUNTED} s[t] = {LOOKS};", {False}),  # it does not wait
        (f"{COUNTED} while ({LOOKS} < n) {{ s[t]++; }}", {False}),  # it does more
        (f"{COUNTED} while ({LOOKS} < n) {{}} if (t == 0) *out = 0;", {True, False}),  # too early
        (f"while ({LOOKS} < n) {{}} {COUNTED}", {False}),  # too late
    ],
)
def test_lanes_of_one_warp(body: str, meant: set[bool]) -> None:
    candidates = block_candidates(kernel(body, threads=32))
    of_out = [each for each in candidates if any(one.volatile for one in each.accesses)]
    assert {DOUBT.question(each) for each in of_out} == meant
