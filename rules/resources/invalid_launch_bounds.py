"""
## What it does

Finds impossible launch bounds, with more threads than a block can have or more resident blocks than
fit on a multiprocessor, and launches with more threads than the kernel's own bound.

## Why is this bad?

A launch beyond `__launch_bounds__` fails with `cudaErrorInvalidConfiguration`. ptxas ignores a
minimum of blocks that cannot be resident and then uses more registers than intended; it only prints
one warning in the build log.

## Example

```cuda
__global__ void __launch_bounds__(128) scale(float *data);
scale<<<blocks, 256>>>(data);             // fails: 256 threads, the bound is 128
```

## Use instead

```cuda
__global__ void __launch_bounds__(256) scale(float *data);
scale<<<blocks, 256>>>(data);
```

## Known problems

Whether a minimum of blocks can be resident depends on `--arch`; the finding names it. With a build
log (`--ptxas-log`), ptxas warnings about ignored bounds are reported too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Joins, Rule
from ...analyzer.findings.verifying import compiled
from ...analyzer.hardware.architectures import WARP_SIZE
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.kernel import Bounds, Launch

RULE = Rule(
    code="OCC005",
    name="invalid-launch-bounds",
    summary="impossible launch bounds, or a launch that exceeds them",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """Findings on impossible launch bounds, then on launches that exceed them."""
    bounds = facts.kernel.bounds
    most = _most_threads(bounds)
    if most is None:
        return
    arch = facts.architecture
    if most > arch.threads_per_block:
        text = f"launch bound of {most:,} threads: a block has at most {arch.threads_per_block:,}"
        yield _of_bounds(facts, text, Severity.ERROR, Fact("threads", most))
        return
    impossible = [*_of_blocks(facts, bounds, most)]
    yield from impossible or _of_log(facts)
    for launch in facts.kernel.launches:
        yield from _of_launch(facts, launch, most)


def _most_threads(bounds: Bounds) -> int | None:
    shape = bounds.required_block or bounds.max_block
    return bounds.max_threads if shape is None else math.prod(shape)


def _of_blocks(facts: KernelFacts, bounds: Bounds, most: int) -> Iterator[Finding]:
    """A minimum of blocks that the multiprocessor has no room for."""
    arch, blocks = facts.architecture, bounds.min_blocks
    if blocks is None or most <= 0:
        return
    warps = -(-most // WARP_SIZE) * blocks
    if warps > arch.warps_per_sm or blocks > arch.blocks_per_sm:
        text = (
            f"ptxas ignores the minimum of {plural(blocks, 'resident block')}: {arch.name} has "
            f"room for {arch.warps_per_sm * WARP_SIZE:,} threads in {arch.blocks_per_sm} blocks, "
            f"not for {blocks} blocks of {plural(most, 'thread')}"
        )
        yield _of_bounds(facts, text, Severity.WARNING, Fact("blocks", blocks))


def _of_log(facts: KernelFacts) -> Iterator[Finding]:
    """What ptxas said of the bounds, for an architecture that was built for."""
    for advisory in facts.advisories:
        if advisory.code == "bounds-ignored":
            where = f"on line {advisory.log_line} of the build log"
            fact = Fact("log_line", advisory.log_line, where)
            yield _of_bounds(facts, f"compiler warning: {advisory.text}", Severity.WARNING, fact)


def _of_bounds(facts: KernelFacts, text: str, severity: Severity, fact: Fact) -> Finding:
    kernel = facts.kernel
    return Finding(
        RULE,
        kernel.bounds.span or kernel.span,
        (Part(text),),
        kernel.label,
        severity,
        label="impossible launch bounds",
        evidence=(fact, Fact("arch", facts.architecture.name)),
        fixes=(Fix("choose launch bounds that the architecture allows"),),
        verify=compiled(facts, ".minnctapersm will be ignored"),
        joins=Joins.HABIT,
    )


def _of_launch(facts: KernelFacts, launch: Launch, most: int) -> Iterator[Finding]:
    kernel, threads = facts.kernel, launch.threads
    if threads is None or threads <= most or threads > facts.architecture.threads_per_block:
        return
    yield Finding(
        RULE,
        launch.span,
        (
            Part(f"this launch of `{launch.kernel}` always fails: {threads} threads exceed "),
            Part(f"its launch bound of {most}", kernel.bounds.span),
        ),
        kernel.label,
        Severity.ERROR,
        label="cudaErrorInvalidConfiguration",
        evidence=(Fact("threads", threads), Fact("bound", most)),
        related=(Related(kernel.bounds.span or kernel.span, f"at most {most} threads"),),
        fixes=(Fix(f"launch at most {most} threads per block, or raise the launch bound"),),
    )
