"""
## What it does

Reports two threads of a block that access the same bytes in different iterations of a loop, at
least one of them writing, with no barrier between the two iterations: a tile is refilled while
other threads still read it.

## Why is this bad?

The barrier after filling a tile holds back its readers, not the writers of the next iteration. A
fast warp starts the next iteration and overwrites what a slow one still needs. This barrier is the
one that is forgotten most often, since the loop looks complete and most runs give the right result.

## Example

```cuda
for (int m = 0; m < n / TILE; ++m) {
    tile[ty][tx] = in[(m * TILE + ty) * n + tx];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += tile[k][tx];
}
```

## Use instead

```cuda
for (int m = 0; m < n / TILE; ++m) {
    tile[ty][tx] = in[(m * TILE + ty) * n + tx];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += tile[k][tx];
    __syncthreads();
}
```

## Known problems

As for SYN002. Of a loop with an unknown trip count the first few iterations are simulated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.races import missing_barrier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="SYN003",
    name="missing-barrier-in-loop",
    summary="an iteration accesses data that other threads still use from an earlier iteration",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-820", "CWE-362"),
    costly=True,
    uncalled=True,
    judged=("barrier-in-loop",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line at which a later iteration meets an earlier one."""
    from ...analyzer.analyses.conflicts.race_kinds import RaceKind
    from ...analyzer.analyses.races.race_groups import grouped

    for group in grouped(facts, RaceKind.BARRIER_IN_LOOP):
        yield missing_barrier(RULE, group)
