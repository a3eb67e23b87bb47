"""Rows of warps that begin in the middle of a sector."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.shifted_rows import shifted_rows

PARAMETERS = "float *p, float *q, const double *d, int n"


def shifted(body: str) -> list[int]:
    facts = body_facts(f"int t = threadIdx.x; {body}", (64, 1, 1), PARAMETERS)
    return [address.value.lanes[0] % 32 for address in shifted_rows(facts)]


@settings(max_examples=20)
@given(st.integers(0, 40))
def test_a_constant_distance(distance: int) -> None:
    assert shifted(f"p[t + {distance}] = 1;") == ([distance * 4 % 32] if distance % 8 else [])


@pytest.mark.parametrize(
    ("body", "distances"),
    [
        ("p[t + 1] = 1; q[t + 2] = 1;", [4, 8]),
        ("p[t + 1] = 1; p[t + 9] = 1;", [4]),
        ("p[t + 1] = p[t] + p[t + 2];", []),  # a stencil
        ("p[t + 1 + n] = 1;", []),  # by what nobody knows
        ("p[t + 1 + n * 8] = 1;", [4]),
        ("p[t + 1 + blockIdx.x * 64] = 1;", [4]),
        ("p[t + 1 + blockIdx.x * 65] = 1;", []),
        ("p[t * 2 + 1] = 1;", []),
        ("p[64 - t] = 1;", []),
        ("if (t < 20) p[t + 1] = 1;", []),  # no whole warp
        ("p[t] = d[t + 1];", []),  # wider
        ("__shared__ float s[128]; s[t + 1] = 1;", []),
        ("atomicAdd(&p[t + 1], 1.0f);", []),
    ],
)
def test_objects_that_are_shifted_as_a_whole(body: str, distances: list[int]) -> None:
    assert shifted(body) == distances
