"""One run made by hand: every value that a report can show, without any analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.analyses.coverage.remedies import Remedy
from warplint.analyzer.engine.coverage import Coverage, Gap
from warplint.analyzer.engine.result import InputResult, RunResult
from warplint.analyzer.findings.finding import (
    Applicability,
    Assumption,
    Edit,
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
    StatedDoubt,
)
from warplint.analyzer.findings.rule import Category, Rule
from warplint.analyzer.findings.witness import Step, ThreadFlow
from warplint.analyzer.source.problem import Damage, Problem
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """\
#include "helper.cuh"

__global__ void reduce(float *out) {
\t__shared__ float tile[32][32];
\tint t = threadIdx.x;
\ttile[t][0] = load(out, t);  // größer 漢字
\tif (t < 16) {
\t\tout[t] = tile[t][1];
\t\t__syncthreads();
\t}
}
"""

HEADER = """\
__device__ float load(float *p, int i) { return p[i]; }
"""

PAGE = """\
## What it does

Finds barriers that only some threads reach.

## Why is this bad?

The others never arrive.

## Example

    if (t < 16) __syncthreads();

## Use instead

    __syncthreads();

## Known problems

None."""

BARRIER = Rule(
    "SYN001",
    "divergent-barrier",
    "a barrier that not every thread of the block reaches",
    Category.CORRECTNESS,
    Severity.ERROR,
    references=("CUDA-1.14", "CWE-821"),
    page=PAGE,
)
CONFLICT = Rule(
    "SHM001",
    "bank-conflict",
    "lanes of one warp that wait for each other's bank",
    Category.PERFORMANCE,
    Severity.WARNING,
)


def find(source: SourceText, text: str, nth: int = 0) -> Span:
    """The span of the n-th occurrence of `text`."""
    start = -1
    for _ in range(nth + 1):
        start = source.text.index(text, start + 1)
    return Span(source, start, start + len(text))


@dataclass(frozen=True)
class Sample:
    """The two files of the run and what it found in them."""

    root: Path
    kernel: SourceText
    header: SourceText
    result: RunResult


def barrier_finding(kernel: SourceText) -> Finding:
    condition = find(kernel, "t < 16")
    return Finding(
        BARRIER,
        find(kernel, "__syncthreads()"),
        (
            Part("`__syncthreads()` is reached only where "),
            Part("`t < 16`", condition),
            Part(" holds"),
        ),
        "reduce",
        Severity.ERROR,
        label="16 of 256 threads arrive",
        evidence=(
            Fact("arriving_threads", 16, "16 of 256: threads 0 to 15"),
            Fact("witness", {"arrives": 0, "stays_away": 16}, "thread 0 arrives\nthread 16 not"),
            Fact("depth", 1),
        ),
        assumptions=(Assumption("block", [256, 1, 1], "default; set --block"),),
        related=(
            Related(condition, "differs between threads"),
            Related(find(kernel, "threadIdx.x"), "each thread has its own"),
        ),
        flows=(
            ThreadFlow(
                "thread (0, 0, 0)",
                (
                    Step(condition, "takes the branch"),
                    Step(find(kernel, "__syncthreads()"), "waits"),
                ),
            ),
            ThreadFlow("thread (16, 0, 0)", (Step(condition, "goes on"),)),
        ),
        fixes=(Fix("call the barrier outside the branch"),),
        verify="compute-sanitizer --tool synccheck",
        arch=90,
    )


def conflict_finding(kernel: SourceText, header: SourceText) -> Finding:
    declaration = find(kernel, "[32];")
    pad = Span(kernel, declaration.start + 1, declaration.start + 3)
    return Finding(
        CONFLICT,
        find(kernel, "tile[t][0]"),
        (Part("32-way bank conflict"),),
        "reduce",
        Severity.WARNING,
        evidence=(Fact("wavefronts", 32, "32 wavefronts, 1 ideal"), Fact("wavefronts_ideal", 1)),
        related=(Related(find(header, "p[i]"), "the value comes from [here]"),),
        doubts=(
            StatedDoubt("example-stride", "the stride was chosen as an example"),
            StatedDoubt("idle-lanes", "only one lane may be active", silences=True),
        ),
        fixes=(Fix("pad the row", Applicability.SAFE, (Edit(pad, "33"),)),),
        arch=90,
    )


GAP = Gap("access", "depends on loaded data", Remedy.NONE, 2, 1)


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sample:
    monkeypatch.chdir(tmp_path)
    kernel = SourceText("src/reduce.cu", KERNEL)
    header = SourceText("src/helper.cuh", HEADER)
    broken = SourceText("src/broken.ptx", ".entry k(\n")
    result = RunResult(
        findings=(conflict_finding(kernel, header), barrier_finding(kernel)),
        inputs=(
            InputResult(
                "src/reduce.cu",
                "full",
                kernels=1,
                accesses=3,
                unanalysed=(GAP,),
                assumptions=(Assumption("block", [256, 1, 1], "default; set --block"),),
            ),
            InputResult(
                "src/broken.ptx",
                "none",
                kernels=0,
                accesses=0,
                problems=(
                    Problem(
                        "src/broken.ptx",
                        "unexpected end of file",
                        "close the parameter list",
                        Damage.FATAL,
                        span=Span(broken, 8, 9),
                    ),
                ),
            ),
        ),
        rules=(CONFLICT, BARRIER),
        arch=90,
        hidden=1,
        coverage=Coverage(1, 3, (GAP,), ("helper.h",)),
    )
    return Sample(tmp_path.resolve(), kernel, header, result)
