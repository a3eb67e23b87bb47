"""Updates of one place that many threads make."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel
from analyses.kernels import last_of

from warplint.analyzer.analyses.conflicts.contended_updates import is_contended
from warplint.analyzer.analyses.conflicts.race_context import RaceContext
from warplint.analyzer.ir.operations import AccessKind


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("flag += 1;", True),
        ("if (in[t] > n) flag += 1;", True),
        ("if (in[t] == n) flag += 1;", False),  # perhaps a single one
        ("s[t] += 1;", False),  # each its own
        ("s[in[0]] += 1;", False),  # found in memory
        ("if (in[t] > n && in[t + 1] < 9) flag += 1;", True),
        ("if (in[t] >= n && in[t] <= n) flag += 1;", False),  # both with one number
        ("if (in[t] > flag) flag = in[t];", True),  # the best of all
        ("if (in[t] != 7 && in[t] > flag) flag = in[t];", True),
        ("if (in[t] != 7) flag += 1;", False),
        ("for (int i = 0; i < in[0]; i++) flag += 1;", True),  # a loop is no choice
    ],
)
def test_whether_several_come(body: str, *, expected: bool) -> None:
    facts = kernel(body)
    context = RaceContext(facts.launches[0])
    store = last_of(facts, AccessKind.STORE)
    assert is_contended(context, store, store) is expected
