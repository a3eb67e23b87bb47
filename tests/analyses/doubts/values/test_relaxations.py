"""Elements that are replaced by the least around them until nothing changes."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import block_candidates, kernel

from warplint.analyzer.analyses.doubts.values.relaxations import DOUBT

HEAD = "s[t] = in[t]; __syncthreads(); int v = min(s[t], s[t + 1]); "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (v != s[t]) { s[t] = v; out[0] = 1; }", {True}),
        ("if (s[t] != v) { s[t] = v; out[0] = 1; }", {True}),
        ("int c = 0; if (v != s[t]) { s[t] = v; c = 1; } out[t] = c;", {True}),
        ("v = max(s[t], s[t + 1]); if (v != s[t]) { s[t] = v; out[0] = 1; }", {True}),
        ("if (v == s[t]) return; s[t] = v; out[0] = 1;", {True}),
        ("if (v != s[t]) s[t] = v;", {False}),  # nobody is told
        ("s[t] = v; out[0] = 1;", {False}),  # stored whatever stands there
        ("if (v != s[t + 1]) { s[t] = v; out[0] = 1; }", {False}),  # another place is asked
        ("if (v != in[t]) { s[t] = v; out[0] = 1; }", {False}),
        ("v = s[t] + s[t + 1]; if (v != s[t]) { s[t] = v; out[0] = 1; }", {False}),
        ("v = max(v, s[t + 1]); if (v != s[t]) { s[t] = v; out[0] = 1; }", {False}),  # both kinds
        ("v = s[t + 1]; if (v != s[t]) { s[t] = v; out[0] = 1; }", {False}),  # not the least
        ("if (v != s[t]) { s[t] = v; out[0] = v; }", {False}),  # what comes out, and no flag
    ],
)
def test_what_is_a_step_of_relaxation(body: str, expected: set[bool]) -> None:
    candidates = block_candidates(kernel(HEAD + body))
    found = {
        DOUBT.question(each)
        for each in candidates
        if each.conflict.item.name == "s"
        if any(access.reads for access in each.accesses)
    }
    assert found == expected
