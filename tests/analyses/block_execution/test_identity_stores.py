"""Stores that leave what is there: the conditions under which they do, in values of any depth."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.identity_stores import kept_when
from warplint.analyzer.ir.operations import AccessKind


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("t < 9 ? x : row[t]", [False]),
        ("t < 9 ? row[t] : x", [True]),
        ("row[t] - (t < 9 ? 0.0f : x) * x", [True]),
        ("row[t] + x * (t < 9 ? x : 0.0f)", [False]),
        ("(t < 9 ? 0.0f : x) + row[t]", [True]),
        ("(t < 9 ? 0.0f : x) - row[t]", []),
        ("t < 9 ? x : row[t + 1]", []),
        ("row[t] * (t < 9 ? 1.0f : x)", []),
        ("row[t]", []),
        ("(t < 9 ? 0.0f : x) + (t < 8 ? 0.0f : x) + row[t]", []),
    ],
)
def test_a_store_puts_back_what_is_there(stored: str, expected: list[bool]) -> None:
    text = f"__global__ void k(float *row, float x) {{ int t = threadIdx.x; row[t] = {stored}; }}"
    facts = facts_of(text, (64, 1, 1))
    (store,) = (each for each in facts.accesses if each.kind is AccessKind.STORE)
    assert [truth for _, truth in kept_when(facts.flow, store)] == expected


def test_values_that_are_doubled_over_and_over_are_read_once() -> None:
    doubled = "x = x + x;" * 2000
    text = (
        "__global__ void k(float *row, float x) { int t = threadIdx.x; float old = row[t];"
        f"x = t < 9 ? 0.0f : x; {doubled} row[t] = old + x; }}"
    )
    facts = facts_of(text, (64, 1, 1))
    (store,) = (each for each in facts.accesses if each.kind is AccessKind.STORE)
    assert kept_when(facts.flow, store) == ()
