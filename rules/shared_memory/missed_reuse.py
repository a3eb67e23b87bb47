"""
## What it does

Finds loops in which the threads of a block load the same elements of global memory repeatedly,
without shared memory. Reports how many threads load each element, and what the compute to global
memory access ratio (CGMA) would be if each element were loaded once per block.

## Why is this bad?

A matrix product that loads both factors from global memory does one operation per access: on the
first CUDA devices that gave 21.6 of 367 GFLOPS. Tiles of 16 x 16 in shared memory raise it to 16
operations per access. Today caches hide part of the cost, but every access still goes through them.

## Example

```cuda
for (int k = 0; k < width; ++k)
    sum += a[row * width + k] * b[k * width + column];   // each element: 16 threads of 16 x 16
```

## Use instead

```cuda
for (int k0 = 0; k0 < width; k0 += 16) {
    tile_a[ty][tx] = a[row * width + k0 + tx];
    tile_b[ty][tx] = b[(k0 + ty) * width + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
}
```

## Known problems

Two blocks of the shape given by a launch or the command line are simulated; the factors are those
of the one whose threads share less.
Reported are loops with at most four operations for each access that would have at least four times
as many. Loads that are the same for a whole warp, and nothing else, are left alone: one request
serves them all. What the caches keep is not modelled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import section
from ...analyzer.ir.memory import Space
from ...analyzer.source.words import listed
from .._shared.doubts import doubts_about

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts, LaunchFacts
    from ...analyzer.analyses.memory_traffic.block_reuse import LoopTraffic, Sharing

RULE = Rule(
    code="SHM004",
    name="missed-reuse",
    summary="threads of a block load the same elements of global memory repeatedly",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    judged=("reuse",),
)

THRESHOLD = 4.0  # times the work for each access, after tiling
ENOUGH = 4.0  # operations for each access that are nothing to complain of
SHARED_BY = 4.0  # threads that load an element, for it to count as shared


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for the hot loop of a kernel that loads the same global elements repeatedly."""
    from ...analyzer.analyses.memory_traffic.block_reuse import loop_traffic
    from ...analyzer.analyses.pointers.work import hot_loop

    if any(item.space is Space.SHARED for item in facts.kernel.objects):
        return  # it tiles already, or exchanges something else
    hot = hot_loop(facts)
    if hot is None:
        return
    work, loop = hot
    if loop is None or work.cgma is None or work.cgma > ENOUGH:
        return
    least = facts.options.thresholds.get(RULE.code, THRESHOLD)
    found: list[tuple[float, LaunchFacts, LoopTraffic]] = []
    for launch in facts.launches:
        stated = launch.launch.trusted and not (launch.launch.guessed or launch.launch.inferred)
        traffic = loop_traffic(launch, loop) if stated else None
        if traffic is not None and _is_worth_it(traffic, least):
            found.append((traffic.saved, launch, traffic))
    if found:
        _, launch, traffic = max(found, key=lambda each: each[0])
        yield _finding(facts, launch, traffic, work.cgma)


def _is_worth_it(traffic: LoopTraffic, least: float) -> bool:
    """Whether tiles save enough, and more than a broadcast within each warp does."""
    shared = [each for each in traffic.sharings if each.factor >= SHARED_BY]
    varied = any(not each.uniform for each in shared)
    return varied and traffic.saved >= least


def _finding(facts: KernelFacts, launch: LaunchFacts, traffic: LoopTraffic, cgma: float) -> Finding:
    from ...analyzer.analyses.doubts.costs.candidates import ReuseCandidate
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_REUSE

    shared = [each for each in traffic.sharings if each.factor >= SHARED_BY]
    factors = {each.item.name.removeprefix("*"): each.factor for each in shared}
    after = cgma * traffic.saved
    by = listed([f"of {each.item.name.removeprefix('*')} {_times(each)}" for each in shared])
    text = (
        f"the threads of a block load each element {by}: {_operations(cgma)} per access to global "
        f"memory, {after:.3g} with tiles in shared memory"
    )
    first, *others = (load for each in shared for load in each.loads)
    block = launch.launch
    doubts = doubts_about(facts, OF_REUSE, ReuseCandidate(tuple(shared)))
    return Finding(
        RULE,
        first.location.span,
        (Part(text),),
        facts.kernel.label,
        RULE.severity,
        label=f"each element is loaded {_times(shared[0])}",
        evidence=(
            Fact("cgma", round(cgma, 3)),
            Fact("cgma_tiled", round(after, 3)),
            Fact("factors", {name: round(factor, 3) for name, factor in factors.items()}),
        ),
        assumptions=(assumed_block(block),),
        related=tuple(Related(load.location.span, "also loaded here") for load in others[:3]),
        fixes=(Fix(f"load tiles of the block's shape ({block.block_text}) into shared memory"),),
        verify=section("MemoryWorkloadAnalysis", "L1/TEX Hit Rate"),
        doubts=doubts,
    )


def _times(sharing: Sharing) -> str:
    return f"{sharing.factor:.3g} times{'' if sharing.even else ' on average'}"


def _operations(count: float) -> str:
    return f"{count:.3g} {'operation' if round(count, 3) == 1 else 'operations'}"
