"""Integers that gather floats: what an iteration adds is cut off."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.arithmetic.narrow_accumulators import Loss, narrow_accumulators
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
    found = list(narrow_accumulators(body_facts(body, parameters=PARAMETERS)))
    assert len(found) == count
    for each in found:
        assert each.phi.type.kind is Kind.INTEGER
        assert each.update.type.kind is Kind.FLOAT


def test_a_sum_outside_of_a_loop_loses_little() -> None:
    body = f"{HEAD} s += a[t]; s += a[t + 1]; out[t] = s;"
    assert not list(narrow_accumulators(body_facts(body, parameters=PARAMETERS)))


@pytest.mark.parametrize(
    ("stores", "array", "count"),
    [
        ("kept[t] = t;", "kept", 0),
        ("kept[t] = b[t]; kept[t + 1] = 7.0f;", "kept", 0),
        ("kept[t] = t; kept[0] = 0.5f;", "kept", 1),
        ("kept[0] = 0.5f; kept[t] = t;", "kept", 0),  # what stood there is gone
        ("kept[0] = 0.5f; if (n > 3) kept[t] = t;", "kept", 1),
        ("kept[t] = t; (kept + 64)[t] = a[t];", "kept", 0),  # by another pointer
        ("(kept + 64)[t] = a[t];", "kept", 1),  # nothing is known of it
        ("kept[t] = t;", "a", 1),  # the host's
    ],
)
def test_whole_numbers_that_an_array_keeps(stores: str, array: str, count: int) -> None:
    body = f"__shared__ float kept[128]; {HEAD} {stores} __syncthreads();"
    body += f" for (int i = 0; i < n; i++) s += {array}[i]; out[t] = s + (int)f + (int)w;"
    assert len(list(narrow_accumulators(body_facts(body, parameters=PARAMETERS)))) == count


SHORT = "unsigned char c = 0; unsigned short h = 0; int t = threadIdx.x;"
BYTES = "int *out, unsigned char *bytes, const unsigned char *a, float *f, int n"


@pytest.mark.parametrize(
    ("step", "after", "count"),
    [
        ("c += a[i];", "out[t] = c;", 1),
        ("h += a[i] * a[i];", "out[t] = h;", 1),
        ("c += a[i];", "f[t] = c;", 1),
        ("c += a[i];", "bytes[t] = c;", 0),  # a checksum
        ("c += 1;", "out[t] = c;", 0),  # a count
        ("c = (unsigned char)(c + a[i]);", "out[t] = c;", 0),  # meant
        ("c = a[i] + t;", "out[t] = c;", 0),  # no sum
    ],
)
def test_sums_of_bytes_that_go_on_wider(step: str, after: str, count: int) -> None:
    body = f"{SHORT} for (int i = 0; i < n; i++) {{ {step} }} {after}"
    found = list(narrow_accumulators(body_facts(body, parameters=BYTES)))
    assert [each.loss for each in found] == [Loss.HIGH_BITS] * count


@pytest.mark.parametrize(
    ("step", "count"),
    [
        ("s += a[i];", 1),
        ("s = __hadd(s, a[i]);", 1),
        ("s = __hfma(a[i], a[i + 1], s);", 1),
        ("s = __hfma(s, a[i], a[i + 1]);", 0),  # a polynomial
        ("s = __hmax(s, a[i]);", 0),
        ("f += __half2float(a[i]);", 0),
        ("s += x;", 0),  # nothing that is loaded
    ],
)
def test_sums_of_halves(step: str, count: int) -> None:
    parameters = "__half *out, const __half *a, __half x, int n"
    for length, expected in (("n", count), ("8", 0)):
        body = f"__half s = 0; float f = 0; for (int i = 0; i < {length}; i++) {{ {step} }}"
        text = f"{body} out[0] = s; out[1] = __float2half(f);"
        found = list(narrow_accumulators(body_facts(text, parameters=parameters)))
        assert [each.loss for each in found] == [Loss.SMALL_TERMS] * expected
