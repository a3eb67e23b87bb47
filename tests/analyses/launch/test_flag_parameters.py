"""Parameters that are only compared with constants, and numbers for none of these."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.flag_parameters import flag_parameters


def _flags(body: str) -> dict[str, int]:
    (kernel,) = cuda_module(f"__global__ void k(int *p, int n, int first) {{ {body} }}").kernels
    return {parameter.name: number for parameter, number in flag_parameters(kernel).items()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (first == 1) p[0] = n;", {"first": 0}),
        ("if (first) p[0] = n;", {"first": 1}),
        ("if (first != 0 && first != 1) p[0] = n;", {"first": 2}),
        ("if (first == 1) p[first] = n;", {}),  # an index, too
        ("if (first == 1 || first > 4) p[0] = n;", {}),
        ("if (first == n) p[0] = 1;", {}),
        ("if (first == 1) p[0] = n + first;", {}),
        ("p[0] = 1;", {}),
    ],
)
def test_what_is_only_asked_for_constants(body: str, expected: dict[str, int]) -> None:
    assert _flags(body) == expected


@given(st.sets(st.integers(0, 9), min_size=1))
def test_the_number_is_none_of_the_constants(constants: set[int]) -> None:
    (number,) = _flags(
        "".join(f"if (first == {each}) p[{each}] = n;" for each in constants)
    ).values()
    assert number not in constants
    assert set(range(number)) <= constants
