"""Elements that are held at once, against what nvcc 13.0 spilled for sm_90 under 32 registers."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.storage.held_elements import held_at_once

LOAD = "for (int i = 0; i < 96; ++i) r[i] = in[i * 1024 + threadIdx.x];"
STORE = "for (int i = 0; i < 96; ++i) out[i * 1024 + threadIdx.x] = r[i];"
STAGES = "for (int s = 0; s < 3; ++s) for (int i = 0; i < 96; ++i) "


def facts(body: str, element: str = "float") -> KernelFacts:
    module = cuda_module(
        "__global__ void k(const float *__restrict__ in, float *__restrict__ out, int n) {"
        f" {element} r[96]; {body} }}"
    )
    return KernelFacts(module.kernels[0], module, AnalysisOptions(90))


@pytest.mark.parametrize(
    ("body", "registers"),
    [
        (LOAD + STORE, None),  # 0 bytes
        (LOAD + STAGES + "r[i] = r[i] * r[i] + 1;" + STORE, None),  # 0 bytes
        (LOAD + STAGES + "r[i] = r[i] + r[95 - i];" + STORE, None),  # 0 bytes
        (LOAD + STAGES + "r[i] = r[i] + r[i > 0 ? i - 1 : 0];" + STORE, None),  # 0 bytes
        (LOAD + STAGES + "r[i] = r[i] * r[(i + 48) % 96];" + STORE, None),  # 0 bytes
        (LOAD + "for (int i = 1; i < 96; ++i) r[i] += r[i - 1];" + STORE, None),  # 0 bytes
        (LOAD + STAGES + "r[i] = r[i] * r[(i + 7 * s + 7) % 96] + r[(i + 31) % 96];" + STORE, 131),
        (
            "for (int i = 0; i < 96; ++i) r[i] = 0;"
            "for (int k = 0; k < n; ++k) for (int i = 0; i < 96; ++i) r[i] += in[i + k * 96];"
            + STORE,
            96,
        ),
        (
            LOAD + "for (int k = 0; k < n; ++k) { float v = 0;"
            " for (int i = 0; i < 96; ++i) v = v * in[k] + r[i]; out[k] = v; }",
            96,
        ),
        (
            LOAD + "for (int k = 0; k < n; ++k) { float v = 0;"
            " for (int i = 0; i < 40; ++i) v = v * in[k] + r[i]; out[k] = v; }",
            40,  # the others are not asked for again
        ),
        (
            "for (int i = 0; i < 96; ++i) r[i] = 0.5f;"
            "for (int k = 0; k < n; ++k) { float v = 0;"
            " for (int i = 0; i < 96; ++i) v = v * in[k] + r[i]; out[k] = v; }",
            None,  # constants
        ),
        (
            LOAD + "for (int k = 0; k < n; ++k) { float v = 0;"
            " for (int i = 0; i < 96; ++i) { r[i] = in[k + i]; v += r[i]; } out[k] = v; }",
            None,  # made anew
        ),
        (LOAD + "for (int k = 0; k < n; ++k) out[k] = r[k % 96];", None),  # in local memory
    ],
)
def test_what_spills_is_what_is_held(body: str, registers: int | None) -> None:
    held = held_at_once(facts(body), 32)
    assert (held and held.registers) == registers


def test_it_depends_on_the_registers_that_there_are() -> None:
    body = LOAD + STAGES + "r[i] = r[i] * r[(i + 7 * s + 7) % 96] + r[(i + 31) % 96];" + STORE
    assert held_at_once(facts(body), 64) is not None
    assert held_at_once(facts(body), 72) is None
    assert held_at_once(facts(body, "unsigned char"), 16) is None
    assert held_at_once(facts(body, "double"), 128) is not None
