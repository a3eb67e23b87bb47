"""A kernel, what the user allows it to cost, and what compilers said of it."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, cuda_module, ptx_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.launch.evidence import Evidence
from warplint.analyzer.ir.usage import Amount, Source, Usage
from warplint.analyzer.resources.cubin import CompiledKernel
from warplint.analyzer.resources.ptxas_log import Advisory

TEXT = "\n__global__ void scale(float *p) {\n    p[threadIdx.x] *= 2;\n}\n"
SYMBOL = "_Z5scalePf"


def facts(evidence: Evidence | None = None, arch: int = 90, size: int = 35_000) -> KernelFacts:
    module = cuda_module(TEXT)
    options = AnalysisOptions(arch, evidence=evidence, kernel_size=size)
    return KernelFacts(module.kernels[0], module, options)


def test_the_size_decides_what_is_looked_into() -> None:
    size = facts().size
    assert size == sum(1 for _ in facts().kernel.operations())
    assert not facts(size=size).is_too_large
    assert facts(size=size - 1).is_too_large
    assert not facts(size=size).runs_blocks
    enough = facts(size=2 * size)
    assert enough.runs_blocks
    assert enough.unfinished == set()


def test_it_is_said_that_blocks_are_not_run() -> None:
    large = facts(size=5)
    assert not large.runs_blocks
    assert large.unfinished == {"more than 3 operations (raise kernel-size)"}


def test_another_kernel_keeps_the_options() -> None:
    one, other = body_facts("p[0] = 1;"), body_facts("p[1] = 2;")
    found = one.of_kernel(other.kernel)
    assert (found.kernel, found.module, found.options) == (other.kernel, one.module, one.options)


def built(*arches: int) -> Evidence:
    evidence = Evidence()
    evidence.add(
        [
            CompiledKernel(SYMBOL, arch, Usage(registers=Amount(arch, Source.CUBIN)))
            for arch in arches
        ],
        "a.cubin",
    )
    return evidence


def test_the_build_for_the_architecture_that_was_asked_for_else_the_latest() -> None:
    assert [build.arch for build in facts(built(80, 90)).builds] == [80, 90]
    assert facts(built(80, 90), arch=80).build.usage.registers.value == 80
    assert facts(built(80, 90), arch=75).build.arch == 90
    unbuilt = facts(arch=75)
    assert unbuilt.builds == ()
    assert unbuilt.build.arch == 75
    assert unbuilt.build.usage.registers.value is None


@pytest.mark.parametrize(
    ("advisory", "own"),
    [
        (Advisory("C1", "text", 1, function=SYMBOL), True),
        (Advisory("C1", "text", 1, function="_Z5otherPf"), False),
        (Advisory("C1", "text", 1, path="test.cu", line=3), False),  # lines are those of PTX
        (Advisory("C1", "text", 1), False),
    ],
)
def test_advice_about_this_kernel(advisory: Advisory, *, own: bool) -> None:
    evidence = built(90)
    evidence.advisories += [advisory, advisory]
    assert facts(evidence).advisories == ((advisory,) if own else ())


@pytest.mark.parametrize(
    ("path", "line", "own"),
    [
        ("out/k.ptx", 5, True),
        ("k.ptx", 3, False),
        ("k.ptx", 9, False),
        ("j.ptx", 5, False),
        (None, 5, False),
    ],
)
def test_advice_about_lines_of_ptx(path: str | None, line: int, *, own: bool) -> None:
    text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n    ret;\n}\n"
    module = ptx_module(text, "build/k.ptx")
    evidence = Evidence()
    evidence.advisories.append(Advisory("C1", "text", 1, path=path, line=line))
    options = AnalysisOptions(evidence=evidence)
    assert bool(KernelFacts(module.kernels[0], module, options).advisories) is own
