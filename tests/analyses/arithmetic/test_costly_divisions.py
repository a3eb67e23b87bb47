"""Divisions of 64-bit integers: those that each iteration of a loop does anew."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.arithmetic.costly_divisions import wide_divisions

LOOP = "for (long long i = 0; i < m; i++) {{ {} }}"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (LOOP.format("p[i] = i / m;"), 1),
        (LOOP.format("p[i] = i % m;"), 1),
        (LOOP.format("p[i % m] = i / m;"), 2),
        (LOOP.format("p[i] = i / 8;"), 0),  # shifts, or a multiplication
        (LOOP.format("p[i] = (int)i / n;"), 0),  # 32 bits
        (LOOP.format("p[i] = i * m;"), 0),
        (LOOP.format("p[i] = (double)i / (double)m;"), 0),
        (LOOP.format("p[i] = m / n;"), 0),  # the same in all iterations
        ("p[0] = m / n;", 0),  # once
        ("for (int i = 0; i < n; i++) p[i] = i * i / m;", 1),  # widened before it is divided
        (LOOP.format("p[i] = p[i] / (m + n);"), 1),  # what is loaded, the place moves
    ],
)
def test_what_costs_a_call_in_each_iteration(body: str, count: int) -> None:
    found = list(wide_divisions(body_facts(body, parameters="long long *p, long long m, int n")))
    assert len(found) == count
    assert {each.type.bits for each in found} <= {64}


def test_the_order_is_that_of_the_kernel() -> None:
    body = LOOP.format("p[i] = i / m;\np[i + 1] = i % m;")
    found = wide_divisions(body_facts(body, parameters="long long *p, long long m"))
    assert [each.opcode.value for each in found] == ["div", "rem"]
