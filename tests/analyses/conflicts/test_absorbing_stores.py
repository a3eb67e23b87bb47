"""Stores that put down what is there, as it is made of that itself."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import conflicts_in

#: The inner loop of Floyd and Warshall, in iteration k = 2 of a matrix of 16 rows.
LINE = "int x = s[{0}], y = s[{1}], z = s[{2}];"
ROWS = ("t", "t / 16 * 16 + 2", "32 + t % 16")


@pytest.mark.parametrize(
    ("update", "harmless"),
    [
        ("s[t] = min(x, y + z);", True),
        ("s[t] = x | (y & z);", True),
        ("s[t] = x & (y | z);", True),
        ("s[t] = max(x, min(y, z));", True),
        ("if (y + z < x) s[t] = y + z;", True),
        ("if (x > y + z) s[t] = y + z;", True),
        ("s[t] = max(x, y + z);", False),
        ("s[t] = x + (y & z);", False),
        ("s[t] = x | (y ^ z);", False),
        ("if (y + z > x) s[t] = y + z;", False),
        ("s[t] = y + z;", False),
    ],
)
def test_in_place(update: str, *, harmless: bool) -> None:
    """Row and column k stay as they are: who reads them finds the same before and after."""
    seen = conflicts_in(LINE.format(*ROWS) + update)
    inside = [pair for pair in seen.found if all(each.name[0] == "s" for each in pair)]
    assert (not inside) is harmless
    assert bool(seen.harmless) is harmless
