"""
## What it does

Reports kernels whose registers the compiler has spilled to local memory, with the number of bytes,
from a build log given with `--ptxas-log`.

## Why is this bad?

A spilled value is stored to local memory and loaded again where it is needed. Local memory is
off-chip: every thread has its own copy, and the traffic goes through L1 and L2 like any other.

## Example

    $ nvcc -arch=sm_90 -Xptxas -v -c wide.cu 2> build.log
    ptxas info    : Function properties for _Z4widePf
        472 bytes stack frame, 448 bytes spill stores, 448 bytes spill loads

    $ warplint check wide.cu --ptxas-log build.log

## Use instead

```cuda
for (int half = 0; half < 2; ++half) {    // keep half of the sums at a time
    float sums[32];
```

## Known problems

The log does not say which values were spilled and where: `nvdisasm` shows it (STL and LDL) for a
cubin compiled with `-lineinfo`. Without a log nothing is reported: registers are virtual in PTX,
and `.local` there is not a spill. Spills forced by the kernel's own launch bounds are LOC004.
Builds with `-G` spill by design.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import counters
from ...analyzer.hardware.architectures import architecture
from ...analyzer.source.words import listed, plural
from .._shared.spills import spill_facts, spill_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.launch.facts import Build

RULE = Rule(
    code="LOC002",
    name="register-spill",
    summary="registers that the compiler has spilled to local memory, according to the build log",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
)

#: Up to here it is a value or two at the kernel's edges.
FEW_BYTES = 16


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for a kernel: the build that spills the most."""
    from ...analyzer.analyses.storage.spills import forced_spill, spilled_bytes

    spilling = [build for build in facts.builds if spilled_bytes(build)]
    if not spilling or forced_spill(facts) is not None:
        return
    worst = max(spilling, key=spilled_bytes)
    yield _finding(facts, worst, spilling)


def _finding(facts: KernelFacts, worst: Build, spilling: list[Build]) -> Finding:
    from ...analyzer.analyses.storage.spills import spilled_bytes

    arch = architecture(worst.arch)
    registers = worst.usage.registers.value
    text = f"the compiler spills {spill_text(worst)} on {arch.name}"
    if registers is not None:
        limit = " (the maximum)" if registers >= arch.registers_per_thread else ""
        text += f", with {plural(registers, 'register')}{limit} in use"
    others = [architecture(build.arch).name for build in spilling if build is not worst]
    more = [Fact("also_on", [*others], f"it also spills on {listed(others)}")] if others else []
    few = spilled_bytes(worst) <= FEW_BYTES
    return Finding(
        RULE,
        facts.kernel.span,
        (Part(text),),
        facts.kernel.label,
        Severity.NOTE if few else RULE.severity,
        label="spills registers",
        evidence=(*spill_facts(worst), *more),
        fixes=(Fix("keep fewer values live at once, or raise `-maxrregcount` if it is set"),),
        verify=counters(
            "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
            "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
        ),
        arch=worst.arch,
    )
