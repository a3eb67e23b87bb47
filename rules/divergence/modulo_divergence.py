"""
## What it does

Finds loops in which every second, then every fourth, then every eighth lane works, because the
decision takes the thread index modulo something that grows: the interleaved tree of a reduction or
scan. It evaluates the loop and prints the active lanes of each round.

## Why is this bad?

A warp runs the branch if one of its lanes does. With `threadIdx.x % (2 * s) == 0` all warps stay
busy with 16, 8, 4, 2, 1 of 32 lanes; were the working threads side by side, half of the warps could
stop after every round.

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

Only loops whose bounds follow from the block shape and constants are evaluated. Inside of one warp
nothing can stop early: the last five rounds cost the same either way, and shuffles are better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.interleaved_branches import InterleavedBranch
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="DIV001",
    name="modulo-divergence",
    summary="a loop leaves fewer and fewer lanes of every warp at work, never neighbours",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source."""
    from ...analyzer.analyses.barriers.interleaved_branches import interleaved_branches

    for found in once_each(interleaved_branches(facts), lambda found: found.branch.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: InterleavedBranch) -> Finding:
    location, launch = found.branch.location, found.launch.launch
    steps = ", ".join(map(str, found.lanes))
    return Finding(
        RULE,
        location.span,
        (Part(f"round by round {steps} of the 32 lanes of a warp take this branch"),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="every lane in between waits",
        evidence=tuple(_evidence(found)),
        assumptions=(assumed_block(launch),),
        related=call_sites(location),
        fixes=(
            Fix(
                "let the first threads work instead: "
                "for (s = blockDim.x / 2; s > 0; s /= 2) if (threadIdx.x < s) ..."
            ),
        ),
        verify="ncu --section SourceCounters, column derived__avg_thread_executed",
    )


def _evidence(found: InterleavedBranch) -> Iterator[Fact]:
    busy, needed = found.warps, found.needed
    yield Fact("active_lanes", [*found.lanes])
    shown = f"warps that run it, round by round: {', '.join(map(str, busy))}"
    yield Fact("active_warps", [*busy], shown)
    text = f"warps that would hold the same threads: {', '.join(map(str, needed))}"
    yield Fact("needed_warps", [*needed], text)
