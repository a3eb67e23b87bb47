"""
## What it does

Reports kernels whose own launch bounds, or `__maxnreg__`, leave fewer registers than the compiler
needed: it spilled the rest to local memory. The spilled bytes are those of a build log
(`--ptxas-log`). Of PTX without a log, kernels are reported as possible in which far more values
live at once than the bounds leave registers, in whatever order the operations are done.

## Why is this bad?

`__launch_bounds__(threads, blocks)` divides the registers of a multiprocessor among
`threads * blocks` threads. More resident blocks hide more latency, but every spilled value is
stored to local memory and loaded again, by all of them.

## Example

```cuda
__global__ void __launch_bounds__(256, 8) wide(float *out)   // 32 registers for each thread
```

## Use instead

```cuda
__global__ void __launch_bounds__(256, 4) wide(float *out)   // 64 registers
```

## Known problems

How many registers the kernel would take without the bounds, the log does not say; that some spilled
bytes are a good price for more resident blocks, only a measurement does. Caps from the command line
(`-maxrregcount`) are not seen: such spills are LOC002. Without a log, the finding was right for 273
of 278 public kernels under caps of 32 and 64 registers, and named six of ten that spilled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Certainty, Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.spills import spill_facts, spill_text
from ...analyzer.hardware.architectures import architecture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.kernel import Bounds

RULE = Rule(
    code="LOC004",
    name="spill-forcing-bounds",
    summary="launch bounds that leave fewer registers than the kernel needs",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for a kernel: the build that spills the most."""
    from ...analyzer.analyses.storage.spills import expected_spill, forced_spill

    forced = forced_spill(facts)
    if forced is None:
        cap = expected_spill(facts)
        if cap is not None:
            yield _expected(facts, cap)
        return
    kernel, build = facts.kernel, forced.build
    bounds = kernel.bounds
    place = bounds.span or kernel.span
    text = (
        f"{_bounds_text(bounds)} leave {forced.cap} registers for each thread: the compiler spills "
        f"{spill_text(build)} on {architecture(build.arch).name}"
    )
    yield Finding(
        RULE,
        place,
        (Part(text),),
        kernel.instance or kernel.name,
        RULE.severity,
        label=f"at most {forced.cap} registers",
        evidence=(Fact("cap", forced.cap), *spill_facts(build)),
        related=(Related(kernel.span, "spills registers"),) if bounds.span else (),
        fixes=(Fix("ask for fewer resident blocks, or for smaller blocks, and measure both"),),
        verify="nvcc -Xptxas -v, with and without the bounds",
        arch=build.arch,
    )


def _expected(facts: KernelFacts, cap: int) -> Finding:
    kernel, arch = facts.kernel, facts.architecture
    text = (
        f"{_bounds_text(kernel.bounds)} leave {cap} registers for each thread: more values live at "
        f"once, and the compiler will spill some of them on {arch.name}"
    )
    return Finding(
        RULE,
        kernel.bounds.span or kernel.span,
        (Part(text),),
        kernel.instance or kernel.name,
        RULE.severity,
        Certainty.POSSIBLE,
        label=f"at most {cap} registers",
        evidence=(Fact("cap", cap), Fact("arch", arch.name), Fact("source", "estimate")),
        fixes=(Fix("ask for fewer resident blocks, or for smaller blocks, and measure both"),),
        verify="nvcc -Xptxas -v, with and without the bounds",
        arch=arch.capability,
    )


def _bounds_text(bounds: Bounds) -> str:
    """`bounds of 256 threads and 8 blocks`."""
    if bounds.max_registers is not None:
        return f"bounds of {bounds.max_registers} registers"
    blocks = f" and {bounds.min_blocks} blocks" if bounds.min_blocks else ""
    return f"bounds of {bounds.max_threads} threads{blocks}"
