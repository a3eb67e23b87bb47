"""Places that the first of several threads takes."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import block_candidates, kernel

from warplint.analyzer.analyses.doubts.values.first_come import DOUBT

HEAD = "if (t == 0) flag = n; __syncthreads(); "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (flag == n && in[t] == 3) flag = t;", {True}),
        ("if (in[t] == 3 && n == flag) flag = t;", {True}),
        ("if (flag == n) flag = t;", {True}),
        ("if (flag != n) return; flag = t;", {True}),
        ("if (flag != 1 && in[t] > 3) flag = 1;", {True}),  # the mark itself
        ("if (flag != 1 && in[t] > 3) flag = 2;", {False}),
        ("if (flag == n || in[t] == 3) flag = t;", {False}),  # or although another one stands there
        ("if (flag == in[t]) flag = t;", {False}),  # no mark of all
        ("if (flag < in[t]) flag = in[t];", {False}),
        ("if (flag == n) { flag = t; out[0] += t; }", {False}),  # more hangs on it
        ("if (flag == n) { flag = t; n = 3; } out[t] = n;", {False}),
        ("if (flag == n) s[t] = t; flag = t;", {False}),  # stored whatever stands there
        ("if (flag == n) { s[t] = 1; flag = t; }", {False}),
        ("if (flag == n) { flag = t; __syncwarp(); }", {False}),
    ],
)
def test_what_hangs_on_the_question(body: str, expected: set[bool]) -> None:
    candidates = block_candidates(kernel(HEAD + body))
    found = {
        DOUBT.question(each)
        for each in candidates
        if each.conflict.item.name == "flag"
        if any(access.reads for access in each.accesses)
    }
    assert found == expected


def test_two_that_store_are_alike() -> None:
    candidates = block_candidates(kernel(HEAD + "if (flag == n && in[t] == 3) flag = t;"))
    stores = [each for each in candidates if all(access.writes for access in each.accesses)]
    assert all(map(DOUBT.question, stores))
