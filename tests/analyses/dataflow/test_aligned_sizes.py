"""What a size must be a multiple of for the vector accesses that it places."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.dataflow.aligned_sizes import aligned_sizes

PARAMETERS = "float *p, const char *c, int n, int m, int i"
WIDE = {"float4": 16, "float2": 8, "double": 8, "float": 4}


def multiples(body: str) -> dict[str, int]:
    found = aligned_sizes(body_facts(body, parameters=PARAMETERS).kernel)
    return {parameter.name: multiple for parameter, multiple in found.items()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("*(float4 *)&p[threadIdx.x * n] = float4();", {"n": 4}),
        ("*(float2 *)&p[threadIdx.x * n] = float2();", {"n": 2}),
        ("*(float4 *)&p[threadIdx.x * (n * 2)] = float4();", {"n": 2}),
        ("*(float4 *)&p[n * m] = float4();", {"n": 4, "m": 4}),
        ("*(float4 *)&p[n] = float4(); *(float4 *)(c + m) = float4();", {"n": 4, "m": 16}),
        ("*(float4 *)&p[4 * n] = float4();", {}),
        ("p[n] = 1;", {}),
        ("*(float4 *)&p[n] = float4(); p[0] = n % 4;", {}),  # there may be a way for the rest
        ("*(float4 *)&p[n] = float4(); p[0] = n & 3;", {}),
        ("*(float4 *)&p[n] = float4(); p[0] = 7 % n;", {"n": 4}),
        ("*(float4 *)&p[i * (n << 1) * 2] = float4();", {}),
        ("memcpy(&p[n], &p[n * m], 16);", {}),  # byte by byte, if need be
    ],
)
def test_the_parameters_that_place_vectors(body: str, expected: dict[str, int]) -> None:
    assert multiples(body) == expected


@settings(max_examples=15)
@given(st.sampled_from(sorted(WIDE)), st.integers(1, 32))
def test_the_least_multiple_that_keeps_the_address_aligned(name: str, step: int) -> None:
    """Against trying: the least n > 0 for which n times the step is a multiple of the width."""
    width = WIDE[name]
    found = multiples(f"*({name} *)(c + n * {step}) = {name}();")
    least = next(n for n in range(1, width + 1) if n * step % width == 0)
    assert found.get("n", 1) == least


def test_two_accesses_ask_for_what_fits_both() -> None:
    body = "*(float2 *)(c + n * 4) = float2(); *(float4 *)(c + n * 2) = float4();"
    assert multiples(body) == {"n": 8}
