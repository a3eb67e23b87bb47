"""
## What it does

Finds loops in which every second, then every fourth, then every eighth lane is active, because the
condition takes the thread index modulo a growing number: the interleaved tree of a reduction or
scan. It evaluates the loop and prints the active lanes of each iteration.

## Why is this bad?

A warp executes the branch if any of its lanes takes it. With `threadIdx.x % (2 * s) == 0` all warps
stay busy with 16, 8, 4, 2, 1 of 32 lanes active; if the active threads were contiguous, half of the
warps could stop after every iteration.

Nsight Compute's source page shows it as `derived__avg_thread_executed`, threads per instruction.

## Example

```cuda
for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0)           // 16, 8, 4, 2, 1 lanes of every warp
        data[threadIdx.x] += data[threadIdx.x + s];
    __syncthreads();
}
```

## Use instead

```cuda
for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)                      // whole warps, then one
        data[threadIdx.x] += data[threadIdx.x + s];
    __syncthreads();
}
```

## Known problems

Only loops whose bounds depend only on the block shape and constants are evaluated. Within one warp
nothing can stop early: the last five iterations cost the same either way, and shuffles are faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.interleaved_branches import InterleavedBranch
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="DIV001",
    name="modulo-divergence",
    summary="active lanes thin out in every warp: the divergent-reduction pattern",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of a divergent reduction, where active lanes thin out."""
    from ...analyzer.analyses.barriers.interleaved_branches import interleaved_branches

    for found in once_each(interleaved_branches(facts), lambda found: found.branch.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: InterleavedBranch) -> Finding:
    location, launch = found.branch.location, found.launch.launch
    steps = ", ".join(map(str, found.lanes))
    return Finding(
        RULE,
        location.span,
        (Part(f"divergent branch: only {steps} of 32 lanes are active in successive iterations"),),
        facts.kernel.label,
        RULE.severity,
        label="the lanes in between are inactive",
        evidence=tuple(_evidence(found)),
        assumptions=(assumed_block(launch),),
        related=call_sites(location),
        fixes=(_fix(facts),),
        verify=source_counters("derived__avg_thread_executed"),
    )


def _fix(facts: KernelFacts) -> Fix:
    """Halving leaves out elements of a block that is no power of two."""
    sizes = (each.launch.block[0] for each in facts.launches)
    if all(size & (size - 1) == 0 for size in sizes):
        loop = "`for (s = blockDim.x / 2; s > 0; s /= 2) if (threadIdx.x < s) ...`"
        return Fix(f"keep the active threads contiguous: {loop}")
    loop = "`for (n = blockDim.x; n > 1; n = (n + 1) / 2) if (threadIdx.x < n / 2) ...`"
    return Fix(f"keep the active threads contiguous: {loop}, with the element `(n + 1) / 2` ahead")


def _evidence(found: InterleavedBranch) -> Iterator[Fact]:
    busy, needed = found.warps, found.needed
    yield Fact("active_lanes", [*found.lanes])
    shown = f"{', '.join(map(str, busy))} warps execute it in successive iterations"
    yield Fact("active_warps", [*busy], shown)
    text = f"with contiguous threads, {', '.join(map(str, needed))} warps would do"
    yield Fact("needed_warps", [*needed], text)
