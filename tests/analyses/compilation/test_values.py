"""Arithmetic of compiled code."""

from __future__ import annotations

import pytest
from analyses.compiled import mnemonics


@pytest.mark.parametrize(
    ("body", "absent"),
    [
        ("out[threadIdx.x] = in[threadIdx.x];", "mul"),
        ("int i = threadIdx.x; out[i] = in[i * 3 + 1];", "cvt"),
        ("out[0] = in[0] * in[1] + in[2];", "mul"),
        ("int i = 5; out[0] = in[i * i / 2 - 3];", "div"),
        ("out[0] = n > 3 || true ? in[0] : in[1];", "selp"),
        ("out[0] = in[0] / (2.0f * 4.0f);", "div"),
        ("for (int k = 0; k < n; ++k) out[k] = in[k] * (threadIdx.x ^ n);", "div"),
    ],
)
def test_what_costs_nothing(body: str, absent: str) -> None:
    assert absent not in mnemonics(body)


@pytest.mark.parametrize(
    ("body", "present"),
    [
        ("out[0] = in[0] * in[1];", "mul"),
        ("out[0] = in[0] / in[1];", "div"),
        ("out[0] = threadIdx.x % n;", "rem"),
        ("out[0] = sqrtf(in[0]);", "sqrt"),
        ("out[0] = (float)threadIdx.x;", "cvt"),
    ],
)
def test_what_is_an_instruction(body: str, present: str) -> None:
    assert present in mnemonics(body)


def test_neighbours_share_an_address() -> None:
    body = "int i = threadIdx.x ^ n; out[0] = in[i - 1] + in[i] + in[i + 1];"
    far = "unsigned i = threadIdx.x ^ n; out[0] = in[i] + in[i * 5u ^ 1u] + in[i * 7u ^ 2u];"
    assert mnemonics(body).count("add") < mnemonics(far).count("add") + 2
    assert mnemonics(body).count("ld") == 3


def test_functions_hold_values_in_between() -> None:
    assert mnemonics("out[0] = sinf(in[0]);").count("fma") > 5
    assert mnemonics("out[0] = __sinf(in[0]);").count("fma") == 0


def test_parts_of_structures_are_values() -> None:
    body = "float2 a = p[0]; a.x += 1; p[1] = a;"
    assert mnemonics(body, "float2 *p").count("add") == 1
