"""
## What it does

Finds branches that lanes of one warp take differently, by their index, where both sides are much
work.

## Why is this bad?

A warp executes the two sides one after the other; on each of them the lanes of the other side are
idle. Two sides of the same length take twice the time of one.

## Example

```cuda
if (i % 2 == 0) { for (int k = 0; k < 64; ++k) x = sinf(x) * 1.01f; }
else            { for (int k = 0; k < 64; ++k) x = expf(-x) + 0.01f; }
```

## Use instead

```cuda
if ((i / 32) % 2 == 0) { ... }            // whole warps take one side; elements are reordered
else                   { ... }
```

## Known problems

Work is estimated from the operations of both sides. What only some warps do, or is little beside
the rest of the kernel, is not reported. Conditions on data are not judged: which lanes take which
side is not known. Nor are branches in loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Joins, Rule
from ...analyzer.findings.verifying import source_counters
from .._shared.places import call_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="DIV002",
    name="heavy-divergent-branch",
    summary="lanes of one warp take both sides of a branch, and each is much work",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    joins=Joins.FUNCTION,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each branch that lanes of a warp take both ways, with much work on each."""
    from ...analyzer.analyses.barriers.heavy_branches import heavy_branches

    for found in heavy_branches(facts):
        first, second = found.lanes
        useful = sum(lanes * work for lanes, work in zip(found.lanes, found.work, strict=True))
        share = 100 * useful / ((first + second) * sum(found.work))
        yield Finding(
            RULE,
            found.branch.location.span,
            (
                Part(
                    f"{first} lanes of a warp take one side of this branch and {second} the other, "
                ),
                Part(f"one after the other: on average {100 - share:.0f} % of them are idle"),
            ),
            facts.kernel.label,
            RULE.severity,
            label="differs within a warp",
            evidence=(
                Fact("lanes", [first, second]),
                Fact(
                    "work",
                    list(found.work),
                    f"about {found.work[0]} against {found.work[1]} operations",
                ),
                Fact("efficiency", round(share, 1)),
            ),
            assumptions=(assumed_block(found.launch.launch),),
            related=call_sites(found.branch.location),
            fixes=(Fix("let whole warps take one side: decide by the index divided by 32"),),
            verify=source_counters("derived__avg_thread_executed"),
        )
