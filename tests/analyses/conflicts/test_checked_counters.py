"""Counters that are read first and counted up after."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel

from warplint.analyzer.analyses.conflicts.checked_counters import is_checked_count
from warplint.analyzer.ir.operations import AccessKind


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (flag < n) atomicAdd(&flag, 1);", True),
        ("if (n > flag) atomicSub(&flag, 1);", True),
        ("int c = flag; if (c < n && in[t]) atomicAdd(&flag, 1);", True),
        ("if (flag < n) out[t] = atomicAdd(&flag, 1);", False),  # looks at the result
        ("if (flag == 0) atomicAdd(&flag, 1);", False),  # no order
        ("if (flag < n) atomicMax(&flag, n);", False),
        ("if (s[0] < n) atomicAdd(&flag, 1);", False),  # something else
        ("int c = flag; atomicAdd(&flag, c);", False),
    ],
)
def test_a_comparison_decides_about_the_addition(body: str, *, expected: bool) -> None:
    facts = kernel(body)
    atomic = next(e for e in facts.accesses if e.kind in (AccessKind.ATOMIC, AccessKind.REDUCTION))
    reads = [each for each in facts.accesses if "flag" in each.name and each is not atomic]
    found = [is_checked_count(facts, read, atomic) for read in reads]
    assert any(found) is expected
    assert [is_checked_count(facts, atomic, read) for read in reads] == found
