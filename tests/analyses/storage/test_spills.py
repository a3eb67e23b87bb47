"""Spilled registers, and whether the bounds of a kernel forced it."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.launch.evidence import Evidence
from warplint.analyzer.analyses.storage.spills import expected_spill, forced_spill, spilled_bytes
from warplint.analyzer.ir.usage import Amount, Source, Usage
from warplint.analyzer.resources.cubin import CompiledKernel


def facts(bounds: str, *usages: tuple[int, Usage]) -> KernelFacts:
    module = cuda_module(f"__global__ {bounds} void k(float *p) {{ p[0] = 1; }}")
    evidence = Evidence()
    evidence.add([CompiledKernel("_Z1kPf", arch, usage) for arch, usage in usages], "a.cubin")
    return KernelFacts(module.kernels[0], module, AnalysisOptions(90, evidence=evidence))


def usage(registers: int, stores: int, loads: int) -> Usage:
    amounts = [Amount(each, Source.LOG) for each in (registers, stores, loads)]
    return Usage(registers=amounts[0], spill_stores=amounts[1], spill_loads=amounts[2])


BOUNDS = "__launch_bounds__(512, 4)"  # 2,048 threads for 65,536 registers: 32 for each


def test_bytes_are_stored_and_loaded() -> None:
    assert spilled_bytes(facts("", (90, usage(40, 8, 16))).builds[0]) == 24
    assert spilled_bytes(facts("", (90, Usage())).builds[0]) == 0


@pytest.mark.parametrize(
    ("bounds", "registers", "spilled", "forced"),
    [
        (BOUNDS, 32, 8, True),
        (BOUNDS, 24, 8, True),  # the last step of registers
        (BOUNDS, 23, 8, False),  # it had room left
        (BOUNDS, 40, 8, False),  # not built with these bounds
        (BOUNDS, 32, 0, False),
        ("", 32, 8, False),
        ("__launch_bounds__(128)", 255, 8, False),  # all that a thread may have
    ],
)
def test_builds_at_a_cap_that_the_kernel_states(
    bounds: str, registers: int, spilled: int, *, forced: bool
) -> None:
    found = forced_spill(facts(bounds, (90, usage(registers, spilled, 0))))
    assert (found is not None) is forced
    assert found is None or found.cap == 32


def test_the_build_that_spills_most() -> None:
    found = forced_spill(facts(BOUNDS, (80, usage(32, 8, 0)), (90, usage(32, 80, 0))))
    assert found is not None
    assert found.build.arch == 90


@pytest.mark.parametrize(
    ("bounds", "known", "cap"),
    [
        (BOUNDS, Usage(expected_spills=Amount(1)), 32),
        (BOUNDS, Usage(expected_spills=Amount(0)), None),
        ("", Usage(expected_spills=Amount(1)), None),
        (BOUNDS, Usage(expected_spills=Amount(1), spill_stores=Amount(0)), None),
        (BOUNDS, Usage(expected_spills=Amount(1), registers=Amount(32, Source.LOG)), None),
    ],
)
def test_what_will_be_spilled_where_no_compiler_was_run(
    bounds: str, known: Usage, cap: int | None
) -> None:
    assert expected_spill(facts(bounds, (90, known))) == cap
