"""Registers of kernels that nobody has compiled."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.storage.source_registers import (
    FEATURES,
    estimated_source_registers,
    source_features,
    with_source_registers,
)
from warplint.analyzer.ir.usage import Amount, Source, Usage

SMALL = "out[threadIdx.x] = in[threadIdx.x];"
LARGE = (
    "float part[64];\n#pragma unroll\nfor (int k = 0; k < 64; ++k) part[k] = in[k * 256];\n"
    "__syncthreads();\n#pragma unroll\n"
    "for (int k = 0; k < 64; ++k) out[k * 256] = part[k] * part[63 - k];"
)


def facts_of(body: str) -> KernelFacts:
    return body_facts(body, parameters="const float *in, float *out")


def feature(body: str, name: str) -> float:
    return source_features(facts_of(body), 2048)[FEATURES.index(name)]


def test_more_values_take_more_registers() -> None:
    small = estimated_source_registers(facts_of(SMALL), 90)
    large = estimated_source_registers(facts_of(LARGE), 90)
    assert small.value is not None
    assert large.value is not None
    assert small.value <= 24
    assert large.value > 2 * small.value


@pytest.mark.parametrize("body", [SMALL, LARGE])
@pytest.mark.parametrize("arch", [75, 80, 90, 120])
def test_the_interval_holds_the_number(body: str, arch: int) -> None:
    found = estimated_source_registers(facts_of(body), arch)
    assert None not in (found.low, found.value, found.high)
    assert 8 <= (found.low or 0) <= (found.value or 0) <= (found.high or 0) <= 255
    assert found.source is Source.ROUGH


def test_old_architectures_are_not_known() -> None:
    assert not estimated_source_registers(facts_of(SMALL), 61).known


def test_bounds_are_kept() -> None:
    module = cuda_module(
        f"__global__ void __launch_bounds__(1024, 2) k(const float *in, float *out) {{ {LARGE} }}"
    )
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions(90))
    assert (estimated_source_registers(facts, 90).high or 0) <= 32


def test_a_kernel_that_was_not_read_is_not_known() -> None:
    facts = facts_of(SMALL)
    facts.kernel.status = "partial"
    assert not estimated_source_registers(facts, 90).known


def test_what_is_known_stays() -> None:
    known = Usage(registers=Amount(40, Source.LOG))
    assert with_source_registers(facts_of(SMALL), known, 90) is known
    assert with_source_registers(facts_of(SMALL), Usage(), 90).registers.known


def test_loops_that_will_be_unrolled() -> None:
    loop = "float s = 0; for (int k = 0; k < 16; ++k) s += in[k]; out[0] = s;"
    assert feature(loop, "trips") == 16
    assert feature(loop, "known_loops") == 1
    assert feature(loop, "unrolled_ops") > feature(loop.replace("16", "2"), "unrolled_ops")
    assert feature("int k = 0; while (in[k] > 0) ++k; out[0] = k;", "unknown_loops") == 1


def test_arrays_by_where_they_lie() -> None:
    assert feature(LARGE, "array_words") == 64
    body = "float part[256]; part[int(in[0])] = in[1]; out[0] = part[int(in[2])];"
    assert (feature(body, "array_words"), feature(body, "dynamic_words")) == (0, 256)
