"""
## What it does

Reports shuffles, votes, reductions and `__syncwarp` whose member mask is what `__activemask()`
returned.

## Why is this bad?

`__activemask()` says which lanes happen to run together, and not which lanes should: the lanes of
one branch may come in several groups, in a way that changes with the compiler and from run to run.
Each group then reduces or votes for itself. "`__activemask()` cannot be used to determine which
lanes will execute a given branch" (CUDA C++ Programming Guide, "Warp Vote Functions").

## Example

```cuda
if (i < n) {
    unsigned mask = __activemask();
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(mask, sum, d);
}
```

## Use instead

```cuda
unsigned mask = __ballot_sync(0xffffffff, i < n);
if (i < n) {
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(mask, sum, d);
}
```

## Known problems

Reports tell of all operations of one function that take one such mask as one finding, at the first
of them.

Silent where any group of lanes will do: a leader is elected from the mask (`__ffs`, `__clz`,
`(mask & lanes_below) == 0`) or from the lanes that a ballot of it returns, its lanes are counted
(`__popc`), or the lanes with an equal key are asked for (`__match_any_sync`); and behind
`assert(__activemask() == 0xffffffff)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.warp_intrinsics.active_masks import ActiveMask

RULE = Rule(
    code="WRP004",
    name="activemask-as-mask",
    summary="a member mask of the lanes that happen to run together",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    joins=True,
    references=("CWE-821",),
    costly=True,
)
_FIX = Fix("take the mask from `__ballot_sync` before the lanes part, or name all of them")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source."""
    from ...analyzer.analyses.warp_intrinsics.active_masks import active_masks

    for found in once_each(active_masks(facts), lambda found: found.operation.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: ActiveMask) -> Finding:
    location, source = found.operation.location, found.source.location.span
    related = [Related(source, "the lanes that run together here, whichever they are")]
    related += call_sites(location)
    return Finding(
        RULE,
        location.span,
        (
            Part("the member mask is "),
            Part("what happens to run together", source),
            Part(": the lanes of a branch may come here in several groups"),
        ),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="not all lanes that should take part may do so",
        related=tuple(related),
        fixes=(_FIX,),
    )
