"""How far numbers can go by which a kernel shifts."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.dataflow.shift_limits import shift_limits


def limits(body: str) -> dict[str, int]:
    kernel = body_facts(body, parameters="int *p, long long *w, int n, int m").kernel
    return {parameter.name: most for parameter, most in shift_limits(kernel).items()}


@settings(max_examples=20)
@given(st.integers(0, 40), st.booleans())
def test_a_constant_is_added(added: int, left: bool) -> None:
    found = limits(f"p[0] = p[1] {'<<' if left else '>>'} (n + {added});")
    assert found == {"n": max(31 - added, 0)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("w[0] = w[1] >> n;", {"n": 63}),
        ("p[0] = p[1] >> n; w[0] = w[1] << n;", {"n": 31}),  # the least
        ("p[0] = p[1] >> n; p[2] = p[3] << (m + 1);", {"n": 31, "m": 30}),
        ("p[0] = p[1] >> 3;", {}),
        ("p[0] = p[1] >> (n + m);", {}),
        ("p[0] = p[1] >> (2 * n);", {}),
        ("p[0] = p[1] >> p[2];", {}),
        ("p[0] = n >> 3;", {}),
    ],
)
def test_distances(body: str, expected: dict[str, int]) -> None:
    assert limits(body) == expected
