"""Loads by the read-only path that a run shows to meet a write."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.races.shown_stale_loads import shown_stale_loads

PARAMETERS = "int *p, int *q, const int *list, int n"
OWN = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


@pytest.mark.parametrize(
    ("body", "items"),
    [
        (OWN + "if (i < n) p[n + i] = __ldg(&p[i]);", []),  # halves
        (OWN + "if (i < 2 * n) p[n + i] = __ldg(&p[i]);", ["*p"]),
        (OWN + "p[2 * i] = __ldg(&p[2 * i + 1]);", []),  # odd and even
        (OWN + "p[2 * i] = __ldg(&p[2 * i + 2]);", ["*p"]),
        (OWN + "p[i] = __ldg(&p[i]); q[i] = __ldg(&q[i + 1]);", ["*q"]),
        (OWN + "p[i] = __ldg(&p[list[i]]);", ["*p"]),  # data may choose any
        (OWN + "p[i] = __ldg(&p[n + list[i]]);", []),  # a part that the host has cut off
        (OWN + "p[n + i] = __ldg(&p[n + list[i]]);", ["*p"]),
        (OWN + "p[i] = 1; __syncthreads(); q[i] = __ldg(&p[i + 1]);", ["*p"]),
        (OWN + "p[i] = __ldg(&p[i + 1]); p[i] = __ldg(&p[i + 2]);", ["*p"]),  # once
    ],
)
def test_places_that_the_kernel_computes_meet_in_a_run(body: str, items: list[str]) -> None:
    found = list(shown_stale_loads(body_facts(body, parameters=PARAMETERS)))
    assert [each.item.name for each in found] == items
    assert all(each.write.writes and not each.load.writes for each in found)
