"""
## What it does

Reports shuffles, votes, reductions and `__syncwarp` whose member mask is what `__activemask()`
returned.

## Why is this bad?

`__activemask()` returns the lanes that happen to be converged, not those that should participate:
the lanes of one branch may arrive in several groups, which change with the compiler and from run to
run. Each group then reduces or votes on its own. "`__activemask()` cannot be used to determine
which lanes will execute a given branch" (CUDA C++ Programming Guide, "Warp Vote Functions").

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

Reports tell of all such operations of a file once, with their places: wrappers of intrinsics tend
to stand side by side.

Silent where any group of lanes will do: a leader is elected from the mask (`__ffs`, `__clz`,
`(mask & lanes_below) == 0`) or from the result of a ballot with it, its lanes are counted
(`__popc`), or lanes with equal keys are grouped (`__match_any_sync`); and after
`assert(__activemask() == 0xffffffff)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Joins, Rule
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.warp_intrinsics.active_masks import ActiveMask

RULE = Rule(
    code="WRP004",
    name="activemask-as-mask",
    summary="`__activemask()` used as the member mask of a warp operation",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    joins=Joins.FILE,
    references=("CWE-821",),
    costly=True,
)
_FIX = Fix("compute the mask with `__ballot_sync` before the branch, or pass the full mask")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place where `__activemask()` is a warp operation's member mask."""
    from ...analyzer.analyses.warp_intrinsics.active_masks import active_masks

    for found in once_each(active_masks(facts), lambda found: found.operation.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: ActiveMask) -> Finding:
    location, source = found.operation.location, found.source.location.span
    related = [Related(source, "the lanes that happen to be converged here")]
    related += call_sites(location)
    return Finding(
        RULE,
        location.span,
        (
            Part("the member mask is "),
            Part("the set of active lanes", source),
            Part(": lanes of one branch may arrive in several groups"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="lanes that should participate may be missing",
        related=tuple(related),
        fixes=(_FIX,),
    )
