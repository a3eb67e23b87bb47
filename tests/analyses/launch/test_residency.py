"""How many blocks are resident, by what is known of the kernel."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.launch.facts import Build
from warplint.analyzer.analyses.launch.residency import Residency, residency
from warplint.analyzer.ir.usage import Amount, Source, Usage

PLAIN = "__global__ void k(int *p) { p[threadIdx.x] = 1; }"
DYNAMIC = "__global__ void k(int *p) { extern __shared__ int s[]; s[threadIdx.x] = p[0]; }"


def of(text: str, threads: int, registers: Amount, static: int | None = 0) -> Residency:
    usage = Usage(registers=registers, static_shared=Amount(static, Source.LOG))
    launched = facts_of(text, (threads, 1, 1)).launches[0]
    return residency(launched.facts.kernel, launched.launch, Build(90, usage))


@pytest.mark.parametrize(
    ("threads", "registers", "blocks"),
    [(1024, 32, 2), (256, 32, 8), (256, 64, 4), (256, 128, 2), (32, 16, 32)],
)
def test_registers_and_threads(threads: int, registers: int, blocks: int) -> None:
    """An SM of compute capability 9.0 has 65,536 registers, 2,048 threads and 32 blocks."""
    found = of(PLAIN, threads, Amount(registers, Source.LOG))
    assert found.occupancy.blocks == blocks
    assert found.exact


def test_an_estimate_counts_as_its_low_end() -> None:
    found = of(PLAIN, 256, Amount(128, Source.ESTIMATE, 64, 160))
    assert found.occupancy.blocks == 4
    assert not found.exact
    assert of(PLAIN, 256, Amount()).occupancy.blocks == 8  # nothing known


def test_sizes_that_are_not_known() -> None:
    registers = Amount(32, Source.LOG)
    assert not of(PLAIN, 256, registers, None).exact
    assert not of(DYNAMIC, 256, registers).exact  # how much nobody says
    launched = facts_of(DYNAMIC + "void run(int *p) { k<<<1, 256, 100000>>>(p); }").launches[0]
    usage = Usage(registers=registers, static_shared=Amount(0, Source.LOG))
    found = residency(launched.facts.kernel, launched.launch, Build(90, usage))
    assert found.exact
    assert found.occupancy.blocks == 2  # of 227 KB
