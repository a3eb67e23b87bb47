"""What decides if a thread comes to its access, and is not known."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import block_candidates, kernel

from warplint.analyzer.analyses.doubts.presence.conditions import (
    conditions_on_data,
    open_conditions,
    uncertain,
)


@pytest.mark.parametrize(
    ("body", "open", "on_data"),
    [
        ("s[t] = 1; out[t] = s[t ^ 64];", 0, []),
        ("if (in[t] > 3) s[t] = 1; out[t] = s[t ^ 64];", 1, [1]),
        ("if (in[t] > 3) if (in[t] < 9) s[t] = 1; out[t] = s[t ^ 64];", 1, [2]),
        ("if (in[t] > 3) s[t] = 1; if (in[t] > 5) out[t] = s[t ^ 64];", 2, [1, 1]),
        ("if (t > 3) s[t] = 1; out[t] = s[t ^ 64];", 0, []),
    ],
)
def test_threads_that_may_not_come(body: str, open: int, on_data: list[int]) -> None:
    candidate = block_candidates(kernel(body))[0]
    assert len(uncertain(candidate)) == open
    assert [len(each) for each in conditions_on_data(candidate)] == on_data


def test_conditions_of_the_block_are_decided() -> None:
    body = "if (n > 3) { if (t > 5) s[t] = 1; out[t] = s[t ^ 64]; }"
    candidate = block_candidates(kernel(body))[0]
    first, second = candidate.first, candidate.second
    assert len(open_conditions(candidate, first)) == len(open_conditions(candidate, second)) + 1
