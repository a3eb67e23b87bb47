"""Offsets and strides under which accesses meet."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel

from warplint.analyzer.analyses.conflicts.offset_choices import offset_choices
from warplint.analyzer.analyses.conflicts.race_context import RaceContext
from warplint.analyzer.ir.operations import MemoryAccess


def choices(body: str) -> dict[str, int]:
    context = RaceContext(kernel(body).launches[0])
    met = context.runs.again(context.runs.scenarios[0].scenario).seen.found
    found = offset_choices(context.program, context.tracked, met)
    return {
        "load" if isinstance(name, MemoryAccess) else getattr(name, "name", ""): number
        for name, number in found.items()
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s[t] = 1; out[t] = s[t + n];", {"n": 1}),
        ("s[2 * t] = 1; out[t] = s[2 * t + n];", {"n": 2}),
        ("s[t] = 1; out[t] = s[t + n - 5];", {"n": 3}),  # or 4, 6 and 7
        ("s[t] = 1; out[t] = s[t + 2 * n];", {"n": 1}),  # two threads on
        ("s[2 * t] = 1; out[t] = s[2 * t + 4 * n];", {"n": 1}),
        ("s[t] = 1; int r = in[0]; out[t] = s[t + r];", {"load": 1}),  # one for the whole block
        ("s[t] = 1; if (t >= n) out[t] = s[t - n];", {"n": 33}),
        ("s[t] = 1; out[t] = s[(t + n) % 256];", {"n": 33}),
        ("s[t] = 1; out[t] = s[(t ^ n) & 255];", {"n": 33}),
        ("s[t] = 1; int r = in[t]; out[t] = s[(t + r) & 63];", {}),  # one for each thread
        ("s[t] = 1; out[t] = s[t + 1];", {}),
        ("s[t * n] = t;", {"n": 0}),
        ("out[t] = s[t + n];", {}),  # nobody writes
    ],
)
def test_the_smallest_number_that_leads_to_the_next_thread(
    body: str, expected: dict[str, int]
) -> None:
    assert choices(body) == expected
