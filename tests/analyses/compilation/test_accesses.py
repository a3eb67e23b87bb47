"""Which accesses are instructions."""

from __future__ import annotations

import pytest
from analyses.compiled import mnemonics


def test_what_was_loaded_is_not_loaded_again() -> None:
    assert mnemonics("out[0] = in[n] * in[n];").count("ld") == 1
    again = "float a = in[n]; out[3] = 2; out[0] = a * in[n];"
    assert mnemonics(again).count("ld") == 2
    assert mnemonics("float a = in[n]; __syncthreads(); out[0] = a * in[n];").count("ld") == 2


@pytest.mark.parametrize(
    ("body", "loads"),
    [
        ("float a[4]; for (int k = 0; k < 4; ++k) a[k] = in[k]; out[0] = a[1] * a[2];", 2),
        ("float a[4] = {}; out[0] = a[3];", 0),
        ("float a[999]; a[n] = 1; out[0] = a[n + 1];", 1),
        ("float a[4]; a[n & 3] = in[0]; a[1] = in[1]; out[0] = a[n & 1];", 2),
    ],
)
def test_arrays_of_a_thread(body: str, loads: int) -> None:
    assert mnemonics(body).count("ld") == loads


def test_an_array_of_a_loop_that_stays_is_in_memory() -> None:
    """Every index would be a constant if the second loop were unrolled, which is too long."""
    first = "float a[8], s = 0; for (int k = 0; k < 8; ++k) a[k] = in[k]; "
    short = "for (int k = 0; k < 8; ++k) s += a[k] * in[k + n]; out[0] = s;"
    long = "for (int k = 0; k < 8; ++k) s += powf(a[k], in[k + n]); out[0] = s;"
    assert mnemonics(first + short).count("st") == 1
    assert mnemonics(first + long).count("st") == 9


def test_vectors_are_one_access_and_structures_several() -> None:
    assert mnemonics("p[1] = p[0];", "float4 *p") == ["ld", "st"]
    assert mnemonics("float3 a = p[0]; p[1] = a;", "float3 *p").count("ld") == 3


def test_atomics_are_instructions() -> None:
    assert "atom" in mnemonics("out[0] = atomicAdd(&out[1], 1.0f);")
