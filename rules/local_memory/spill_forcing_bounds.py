"""
## What it does

Reports kernels whose own launch bounds, or `__maxnreg__`, leave fewer registers than the compiler
needs, so that it spills to local memory. The spilled bytes are those of a build log
(`--ptxas-log`). For PTX without a log, kernels are reported as possible if far more values are live
at once than the bounds leave registers, in any order of the operations. For CUDA without a log, an
array is reported whose elements alone need more: those that a loop of unknown length updates or
reads in every iteration, and those that are made of each other in a nest that is unrolled.

## Why is this bad?

`__launch_bounds__(threads, blocks)` divides the registers of a multiprocessor among
`threads * blocks` threads. More resident blocks hide more latency, but every spilled value is
stored to local memory and loaded again, by all of them.

## Example

```cuda
__global__ void __launch_bounds__(256, 8) wide(float *out)   // 32 registers per thread
```

## Use instead

```cuda
__global__ void __launch_bounds__(256, 4) wide(float *out)   // 64 registers
```

## Known problems

The log does not say how many registers the kernel would take without the bounds; only a measurement
shows whether some spilled bytes are worth more resident blocks. Caps from the command line
(`-maxrregcount`) are not seen: such spills are LOC002. Without a log, the finding was right for 273
of 278 public kernels under caps of 32 and 64 registers, and found six of ten that spilled.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import compiled
from ...analyzer.hardware.architectures import architecture
from ...analyzer.source.words import plural
from .._shared.doubts import doubts_about
from .._shared.spills import spill_facts, spill_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.storage.held_elements import Held
    from ...analyzer.ir.kernel import Bounds

RULE = Rule(
    code="LOC004",
    name="spill-forcing-bounds",
    summary="launch bounds that leave fewer registers than the kernel needs",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    judged=("registers",),
)


_FIX = Fix("request fewer resident blocks or smaller blocks in the launch bounds, and measure both")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for a kernel: the build that spills the most."""
    from ...analyzer.analyses.storage.spills import expected_spill, forced_spill, held_under_bounds

    forced = forced_spill(facts)
    if forced is None:
        cap = expected_spill(facts)
        if cap is not None:
            yield _expected(facts, cap)
        elif (held := held_under_bounds(facts)) is not None:
            yield _of_array(facts, held)
        return
    kernel, build = facts.kernel, forced.build
    bounds = kernel.bounds
    place = bounds.span or kernel.span
    text = (
        f"{_bounds_text(bounds)} leave {forced.cap} registers per thread: the compiler spills "
        f"{spill_text(build)} on {architecture(build.arch).name}"
    )
    yield Finding(
        RULE,
        place,
        (Part(text),),
        kernel.label,
        RULE.severity,
        label=f"at most {forced.cap} registers",
        evidence=(Fact("cap", forced.cap), *spill_facts(build)),
        related=(Related(kernel.span, "spills registers"),) if bounds.span else (),
        fixes=(_FIX,),
        verify=compiled(facts, "bytes spill stores; also without the bounds", build.arch),
        arch=build.arch,
    )


def _expected(facts: KernelFacts, cap: int) -> Finding:
    from ...analyzer.analyses.doubts.registry import OF_REGISTERS

    arch = facts.architecture
    found = _estimated(
        facts,
        cap,
        f"more values are live at once: the compiler will spill on {arch.name}",
        Fact("arch", arch.name),
    )
    return replace(found, doubts=doubts_about(facts, OF_REGISTERS, facts.build.usage.registers))


def _of_array(facts: KernelFacts, held: Held) -> Finding:
    item = held.item
    found = _estimated(
        facts,
        held.cap,
        f"`{item.name}` alone takes about {held.registers} at once: the compiler will spill",
        Fact("held", held.registers),
    )
    related = (Related(item.span, "its elements are all in use at once"),) if item.span else ()
    return replace(found, related=related)


def _estimated(facts: KernelFacts, cap: int, needed: str, fact: Fact) -> Finding:
    """What was found without a build of the kernel."""
    kernel = facts.kernel
    text = f"{_bounds_text(kernel.bounds)} leave {cap} registers per thread, but {needed}"
    return Finding(
        RULE,
        kernel.bounds.span or kernel.span,
        (Part(text),),
        kernel.label,
        RULE.severity,
        label=f"at most {cap} registers",
        evidence=(Fact("cap", cap), fact, Fact("source", "estimate")),
        fixes=(_FIX,),
        verify=compiled(facts, "bytes spill stores; also without the bounds"),
        arch=facts.architecture.capability,
    )


def _bounds_text(bounds: Bounds) -> str:
    """`launch bounds of 256 threads and 8 blocks`."""
    if bounds.max_registers is not None:
        return f"launch bounds of {plural(bounds.max_registers, 'register')}"
    blocks = f" and {plural(bounds.min_blocks, 'block')}" if bounds.min_blocks else ""
    return f"launch bounds of {plural(bounds.max_threads or 0, 'thread')}{blocks}"
