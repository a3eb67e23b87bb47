"""Stores of what is computed in the same way from the same places."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import conflicts_in

FIRST = "out[t] = in[t] * 3 + in[t + 1];"


@pytest.mark.parametrize(
    ("second", "equal"),
    [
        ("out[t + 1] = in[t + 1] * 3 + in[t + 2];", True),
        ("out[t + 1] = in[t + 1] * 3 + in[t + 3];", False),  # another place
        ("out[t + 1] = in[t + 1] * 5 + in[t + 2];", False),  # another number
        ("out[t + 1] = in[t + 1] * 3 - in[t + 2];", False),  # another operation
        ("out[t + 1] = in[t + 1] * n + in[t + 2];", False),
        ("out[t + 1] = in[t + 1] * 3 + out[t + 600];", False),  # which the kernel writes
    ],
)
def test_neighbours_that_compute_one_element_twice(second: str, *, equal: bool) -> None:
    """Thread t computes element t + 1 as thread t + 1 does."""
    found = conflicts_in(f"{FIRST} {second}").found
    stores = [pair for pair in found if all(each.writes for each in pair)]
    assert (not stores) is equal
