"""Doubles that nobody asked for: found where nvcc computes in double precision, and only there."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of, ptx_module

from warplint.analyzer.analyses.arithmetic.double_arithmetic import (
    DoubleArithmetic,
    double_arithmetic,
)
from warplint.analyzer.analyses.arithmetic.promoted_floats import promoted_floats

PARAMETERS = "float *out, const float *a, const int *b, float x, int n"


def groups(body: str, parameters: str = PARAMETERS) -> list[DoubleArithmetic]:
    facts = body_facts(body, parameters=parameters)
    return list(promoted_floats(facts.kernel, facts.double_arithmetic))


@pytest.mark.parametrize(
    ("body", "sizes"),
    [
        ("out[0] = x * 0.1;", [1]),
        ("out[0] = x * 2.0;", []),  # the same in floats
        ("out[0] = 1.0 / x;", []),
        ("out[0] = x > 0.5;", []),
        ("out[0] = x > 0.1;", [1]),
        ("out[0] = x * 2.0 + a[0];", [2]),
        ("out[0] = x * 0.1f;", []),
        ("out[0] = sqrt(x * 0.1);", [2]),
        ("out[0] = x * 0.1; out[1] = x * 0.3;", [1, 1]),
        ("out[0] = (double)x * 0.1;", []),  # meant
        ("double d = x * 0.1; out[0] = d;", []),  # held as a double
        ("out[0] = n * 0.1;", []),  # an integer, no float is widened
        ("out[0] = x * n * 0.1;", [1]),
        ("out[0] = x * 1e300;", [1]),  # no float holds it
        ("out[0] = fmax(x, 0.25);", [1]),
        ("out[0] = (1 / 2.0) * x;", []),  # 0.5
        ("out[0] = (1 / 3.0) * x;", [1]),
        ("out[0] = sqrt(2.0f / 3.14) * x;", [1]),  # the compiler has the root
        ("const double two = 2; out[0] = x * two * x;", []),  # no constant widens it, a name does
    ],
)
def test_groups_of_operations_in_double_precision(body: str, sizes: list[int]) -> None:
    assert [len(group.operations) for group in groups(body)] == sizes


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        (f"{PARAMETERS}, double d", "out[0] = x * 0.1;"),
        (f"{PARAMETERS}, double *d", "d[0] = n; out[0] = x * 0.1;"),
        (f"{PARAMETERS}, const double *d", "out[0] = x * 0.1; out[1] = d[0];"),
        (PARAMETERS, "__shared__ double s[4]; s[0] = 1; out[0] = x * 0.1;"),
    ],
)
def test_kernels_of_doubles_mean_it(parameters: str, body: str) -> None:
    assert groups(body, parameters) == []


def test_a_constant_array_of_doubles_means_it() -> None:
    text = """__constant__ double c[4];
    __global__ void k(float *out, float x) { out[0] = x * 0.1; out[1] = c[0]; }"""
    facts = facts_of(text)
    assert list(promoted_floats(facts.kernel, facts.double_arithmetic)) == []


def test_nothing_is_said_of_ptx() -> None:
    text = """.version 8.0
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 p, .param .f32 x) {
        .reg .f32 %f<3>; .reg .f64 %d<3>; .reg .b64 %r<2>;
        ld.param.u64 %r1, [p]; ld.param.f32 %f1, [x];
        cvt.f64.f32 %d1, %f1; mul.f64 %d2, %d1, 0d3FB999999999999A; cvt.rn.f32.f64 %f2, %d2;
        st.global.f32 [%r1], %f2;
        ret;
    }"""
    kernel = ptx_module(text).kernels[0]
    assert list(promoted_floats(kernel, double_arithmetic(kernel, {}))) == []
