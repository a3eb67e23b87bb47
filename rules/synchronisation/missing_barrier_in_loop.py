"""
## What it does

Reports two threads of a block that touch the same bytes in different rounds of a loop, one of them
writing, with no barrier between the two rounds: a tile is filled again while others still read it.

## Why is this bad?

The barrier after filling a tile holds back its readers, not the next round's writers. A fast warp
goes round the loop and overwrites what a slow one still needs. It is the barrier that is forgotten
most often, since the loop looks complete and most runs give the right answer.

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

As for SYN002. Of a loop whose number of rounds is not known the first few are run.
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
    summary="a round of a loop touches what other threads still use of an earlier round",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-820", "CWE-362"),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line at which a later iteration meets an earlier one."""
    from ...analyzer.analyses.races.race_groups import grouped
    from ...analyzer.analyses.races.race_kinds import RaceKind

    for group in grouped(facts, RaceKind.BARRIER_IN_LOOP):
        yield missing_barrier(RULE, group)
