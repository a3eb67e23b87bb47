"""
## What it does

Reports launches with a theoretical occupancy below one half, with what limits it. Occupancy is the
number of resident warps over the maximum of the multiprocessor. Unknown numbers count in favour of
the kernel: without `--ptxas-log` registers are no limit (for PTX: the low end of the estimate).

## Why is this bad?

A multiprocessor hides memory latency by switching to another warp. With few resident warps, all may
be waiting at once. How many are enough depends on the kernel: instruction-level parallelism in each
thread makes up for low occupancy.

## Example

```cuda
__global__ void smooth(const float *in, float *out)
{
    __shared__ float tile[12000];             // 48 KB: 4 blocks of 64 threads are resident
    ...
smooth<<<blocks, 64>>>(in, out);
```

## Use instead

```cuda
smooth<<<blocks, 256>>>(in, out);             // more threads share one tile
```

## Known problems

The threshold is 0.5 and can be changed (`thresholds`). Not reported are kernels that are likely to
have low occupancy on purpose: those with a minimum of blocks in their launch bounds, with more than
48 KB of shared memory (which needs an opt-in), with per-thread arrays (several results per thread),
and with matrix or asynchronous copy instructions, which hide latency by themselves. Nor are
launches with fewer blocks than multiprocessors, and block sizes that are not a multiple of the warp
size (LNC002). Of several launches the one with the highest occupancy counts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import section
from ...analyzer.hardware.architectures import WARP_SIZE
from ...analyzer.ir.memory import Space
from ...analyzer.ir.operation_kinds import Function
from ...analyzer.ir.operations import AccessKind, Barrier, BarrierKind, MemoryAccess, Pure
from ...analyzer.resources.occupancy import Resource
from ...analyzer.source.words import percent, plural
from .._shared.occupancy import limiter_text, occupancy_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.launch.assumed_launch import AssumedLaunch
    from ...analyzer.analyses.launch.residency import Residency
    from ...analyzer.ir.operations import Operation
    from ...analyzer.resources.occupancy import Occupancy

RULE = Rule(
    code="OCC002",
    name="low-occupancy",
    summary="a launch with a theoretical occupancy below one half",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
)

THRESHOLD = 0.5  # resident warps over the warps that there is room for
FEW_BLOCKS = 128  # a large part has about as many multiprocessors
_KINDS = (AccessKind.ASYNC_COPY, AccessKind.MATRIX_LOAD, AccessKind.TILE_LOAD)
SEVERAL = 32  # bytes of a thread's own array: it works on several results at once


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for a kernel, when even its fullest launch is low."""
    from ...analyzer.analyses.launch.residency import residency

    if facts.kernel.bounds.min_blocks is not None:
        return
    least = facts.options.thresholds.get(RULE.code, THRESHOLD)
    meant = [launch for launch in facts.launches if _is_meant(launch.launch)]
    found = [residency(facts.kernel, launch.launch, facts.build) for launch in meant]
    if not found:
        return
    best = max(found, key=lambda each: each.occupancy.fraction)
    low = 0 < best.occupancy.fraction < least
    if low and not _chosen(best) and not _hides_latency(facts):
        yield _finding(facts, best)


def _is_meant(launch: AssumedLaunch) -> bool:
    """Whether somebody states the block, and there may be a block for every multiprocessor."""
    if not launch.trusted or launch.guessed or launch.inferred or launch.threads % WARP_SIZE:
        return False
    known = [size for size in launch.grid if size is not None]
    return len(known) < len(launch.grid) or math.prod(known) >= FEW_BLOCKS


def _chosen(found: Residency) -> bool:
    """Whether the launch asks for more shared memory than blocks are given by default."""
    block = found.occupancy.block
    return (
        block.static_shared + block.dynamic_shared > found.occupancy.architecture.shared_per_block
    )


def _hides_latency(facts: KernelFacts) -> bool:
    """Whether the kernel has other means than many warps."""
    several = any(
        item.space is Space.LOCAL and (item.size or 0) >= SEVERAL for item in facts.kernel.objects
    )
    return several or any(map(_is_asynchronous, facts.kernel.operations()))


def _is_asynchronous(operation: Operation) -> bool:
    """A copy that goes on by itself, or what products of matrices are made of."""
    if isinstance(operation, MemoryAccess):
        return operation.kind in _KINDS
    if isinstance(operation, Barrier):
        return operation.kind in (BarrierKind.ASYNC_WAIT, BarrierKind.MBARRIER)
    return isinstance(operation, Pure) and operation.function is Function.MATRIX_PRODUCT


def _finding(facts: KernelFacts, found: Residency) -> Finding:
    it, launch = found.occupancy, found.launch
    warps, room = it.warps, it.architecture.warps_per_sm
    most = "" if found.exact else "at most "
    text = f"low occupancy: {most}{warps} of {room} warps are resident on {it.architecture.name}"
    limiters = limiter_text(it)
    return Finding(
        RULE,
        facts.kernel.span,
        (Part(f"{text} ({percent(it.fraction)}), limited by {limiters}"),),
        facts.kernel.label,
        RULE.severity,
        label=f"{plural(it.blocks, 'block')} of {plural(launch.threads, 'thread')}",
        evidence=occupancy_facts(found),
        assumptions=(assumed_block(launch),),
        fixes=(Fix(_advice(it)),),
        verify=section("Occupancy", "Theoretical Occupancy, Block Limit"),
        arch=it.architecture.capability,
    )


def _advice(it: Occupancy) -> str:
    """Another block size that does better, or what to use less of."""
    from ...analyzer.resources.occupancy_curves import Amount, curve

    best = max(curve(it, Amount.THREADS), key=lambda point: point.occupancy.fraction)
    if Resource.SHARED not in it.limiters and best.occupancy.fraction > 1.2 * it.fraction:
        share = percent(best.occupancy.fraction)
        return f"launch blocks of {plural(best.value, 'thread')} for {share} occupancy"
    if Resource.SHARED in it.limiters:
        return "let more threads share the same array, or use less shared memory per block"
    return "use fewer registers (`__launch_bounds__` caps them) if the kernel is latency-bound"
