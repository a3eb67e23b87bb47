"""Integers that gather floats: what an iteration adds is cut off."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.arithmetic.narrow_accumulators import narrow_accumulators
from warplint.analyzer.ir.types import Kind

HEAD = "int s = 0; float f = 0; long long w = 0; int t = threadIdx.x;"
PARAMETERS = "int *out, const float *a, const int *b, int n"


@pytest.mark.parametrize(
    ("step", "count"),
    [
        ("s += a[i] * 0.5f;", 1),
        ("s -= a[i];", 1),
        ("s = a[i] + s;", 1),
        ("w += a[i];", 1),
        ("s += a[i]; w += a[i];", 2),
        ("f += a[i];", 0),
        ("s += b[i];", 0),
        ("s += (int)a[i];", 0),  # each is cut off, not the sum
        ("s = (int)(s + a[i]);", 0),  # meant
        ("s = (float)s + a[i];", 0),  # seen and left so
        ("s = s * a[i];", 0),  # a scale, not a sum
        ("s = t + a[i];", 0),  # no part of what was there
    ],
)
def test_sums_that_lose_what_they_sum_up(step: str, count: int) -> None:
    body = f"{HEAD} for (int i = 0; i < n; i++) {{ {step} }} out[t] = s + (int)f + (int)w;"
    found = list(narrow_accumulators(body_facts(body, parameters=PARAMETERS).kernel))
    assert len(found) == count
    for each in found:
        assert each.phi.type.kind is Kind.INTEGER
        assert each.update.type.kind is Kind.FLOAT


def test_a_sum_outside_of_a_loop_loses_little() -> None:
    body = f"{HEAD} s += a[t]; s += a[t + 1]; out[t] = s;"
    assert not list(narrow_accumulators(body_facts(body, parameters=PARAMETERS).kernel))
