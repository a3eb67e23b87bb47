"""
## What it does

Finds launches that always fail because one block needs more than a multiprocessor has: more
registers than the register file, or more local memory than a thread can have. The registers are
those of a build log (`--ptxas-log`).

## Why is this bad?

Such a launch returns `cudaErrorLaunchOutOfResources` ("too many resources requested for launch").
Unless the program checks the error, the output buffers just keep their old contents. The kernel
compiles, and works with smaller blocks: the compiler does not know the block size.

## Example

```cuda
__global__ void solve(float *x);              // ptxas: Used 80 registers
solve<<<blocks, 1024>>>(x);                   // 81,920 registers, there are 65,536
```

## Use instead

```cuda
__global__ void __launch_bounds__(1024) solve(float *x);   // ptxas stays at 64 registers
solve<<<blocks, 1024>>>(x);
```

## Known problems

For PTX without a log the registers are an estimate: the finding is then only possible, and off by
default. Too many threads are LNC001, too much shared memory is SHM007, a launch beyond the kernel's
launch bounds is OCC005.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import (
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import sanitizer
from ...analyzer.hardware.architectures import architecture
from ...analyzer.resources.occupancy import BlockResources, Resource, block_occupancy
from ...analyzer.source.words import plural
from .._shared.doubts import doubts_about

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.source.text import Span

RULE = Rule(
    code="OCC004",
    name="unlaunchable-resources",
    summary="a launch whose block needs more registers or local memory than available",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    judged=("registers",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """The kernel's local memory, then one finding for each launch."""
    frame = facts.build.usage.frame
    most = architecture(facts.build.arch).local_per_thread
    measured = frame.source is not None and frame.source.measured
    if measured and frame.value is not None and frame.value > most:
        yield _of_frame(facts, frame.value, most)
        return
    for span, threads in _blocks(facts):
        yield from _of_block(facts, span, threads)


def _blocks(facts: KernelFacts) -> Iterator[tuple[Span, int]]:
    """The launches in the file, or the block that is asked for; what LNC001 reports left out."""
    kernel, option = facts.kernel, facts.options.block
    if option is not None:
        yield kernel.span, math.prod(option)
        return
    for launch in kernel.launches:
        if launch.threads is not None:
            yield launch.span, launch.threads


def _of_block(facts: KernelFacts, span: Span, threads: int) -> Iterator[Finding]:
    from ...analyzer.analyses.doubts.registry import OF_REGISTERS

    build, bounds = facts.build, facts.kernel.bounds
    arch, registers = architecture(build.arch), build.usage.registers
    bound = bounds.required_block or bounds.max_block
    stated = bounds.max_threads if bound is None else math.prod(bound)
    if stated is not None and stated >= threads:
        return  # the compiler has seen to it
    measured = registers.source is not None and registers.source.measured
    least = registers.value if measured else registers.low
    if not least or not 0 < threads <= arch.threads_per_block:
        return
    it = block_occupancy(arch, BlockResources(threads=threads, registers=least))
    if it.limits[Resource.REGISTERS] != 0:
        return
    about = "" if measured else "about "
    text = (
        f"a block of {threads:,} threads always fails to launch on {arch.name}: at {about}{least} "
        f"registers per thread it needs {it.registers_per_block:,} of "
        f"{arch.registers_per_block:,}"
    )
    yield Finding(
        RULE,
        span,
        (Part(text),),
        facts.kernel.label,
        RULE.severity,
        label="cudaErrorLaunchOutOfResources",
        evidence=(
            Fact("threads", threads),
            Fact("registers", least),
            Fact("allocated", it.registers_per_block),
            Fact("limit", arch.registers_per_block),
            Fact("arch", arch.name),
        ),
        related=(Related(facts.kernel.span, f"{about}{least} registers per thread"),),
        fixes=(Fix(f"declare `__launch_bounds__({threads})`, or launch fewer threads per block"),),
        verify=sanitizer("memcheck", "cudaErrorLaunchOutOfResources"),
        doubts=doubts_about(facts, OF_REGISTERS, registers),
        arch=arch.capability,
    )


def _of_frame(facts: KernelFacts, frame: int, most: int) -> Finding:
    arch = architecture(facts.build.arch)
    return Finding(
        RULE,
        facts.kernel.span,
        (Part(f"{plural(frame, 'byte')} of local memory per thread: {arch.name} allows {most:,}"),),
        facts.kernel.label,
        RULE.severity,
        label="cannot be launched",
        evidence=(Fact("frame", frame), Fact("limit", most), Fact("arch", arch.name)),
        fixes=(Fix("keep the array in global memory"),),
        arch=arch.capability,
    )
