"""Parameters that a kernel shifts by."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.dataflow.shift_limits import shift_limits

PARAMETERS = "int *p, long long *q, unsigned char *c, int n, int m, unsigned u"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[t] = t >> n;", {"n": 31}),
        ("p[t] = t << n;", {"n": 31}),
        ("q[t] = (long long)t << n;", {"n": 63}),
        ("q[t] = 1ll << m;", {"m": 63}),
        ("c[t] = c[t] >> n;", {"n": 31}),  # of an int that it was made
        ("p[t] = t >> (1 + n);", {"n": 30}),
        ("p[t] = t >> (n + 5);", {"n": 26}),
        ("p[t] = t >> (n - 2);", {"n": 33}),
        ("p[t] = t >> (n + 40);", {"n": 0}),  # never below
        ("p[t] = t >> u;", {"u": 31}),
        ("p[t] = t >> (long long)n;", {"n": 31}),
        ("p[t] = (t >> n) + (t << m);", {"n": 31, "m": 31}),
        ("p[t] = t >> n; p[0] = t >> (n + 3);", {"n": 28}),  # the least of several
        ("p[0] = t >> (n + 3); p[t] = t >> n;", {"n": 28}),
        ("p[t] = t >> (n + m);", {}),
        ("p[t] = t >> (2 * n);", {}),
        ("p[t] = t >> (32 - n);", {}),
        ("p[t] = t >> p[n];", {}),
        ("p[t] = t >> 5;", {}),
        ("p[t] = t >> t;", {}),
        ("p[t] = n >> t;", {}),  # what is shifted, not by how much
        ("p[t] = t * n / m;", {}),
    ],
)
def test_greatest_values(body: str, expected: dict[str, int]) -> None:
    facts = body_facts(f"int t = threadIdx.x; {body}", parameters=PARAMETERS)
    assert {each.name: most for each, most in shift_limits(facts.kernel).items()} == expected
