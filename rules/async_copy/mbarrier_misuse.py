"""
## What it does

Reports mbarriers (`cuda::barrier`, PTX `mbarrier`) that other threads use with no barrier of the
block behind the initialisation, that expect more arrivals than come, or that a bulk copy signals
without a fence behind the initialisation; and bulk copies out of shared memory without
`fence.proxy.async` behind the stores that filled it.

## Why is this bad?

A thread that arrives at an mbarrier before it is made works on whatever is in memory: it hangs or
passes too early. With too few arrivals a phase never ends. Bulk copies and tensor copies go through
the asynchronous proxy, which sees stores and initialisations of ordinary instructions only behind a
fence between the proxies (PTX ISA, "Proxies"). It mostly works on the machine it was written on.

## Example

```cuda
if (threadIdx.x == 0)
    init(&bar, blockDim.x);
bar.arrive_and_wait();
```

## Use instead

```cuda
if (threadIdx.x == 0)
    init(&bar, blockDim.x);
__syncthreads();
bar.arrive_and_wait();
```

## Known problems

Silent where a barrier or fence stands on any way between the two places, or a call that was not
read. Arrivals are counted for single mbarriers outside of loops, where the block is stated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import (
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.warp_intrinsics.mbarriers import Misuse

RULE = Rule(
    code="ASY003",
    name="mbarrier-misuse",
    summary="an mbarrier or bulk copy without the barrier, the fence or the arrivals it needs",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-821",),
    costly=True,
)
_FIXES = {
    "barrier": "put `__syncthreads()` behind the initialisation",
    "fence": "put `fence.mbarrier_init` or `fence.proxy.async` behind the initialisation",
    "arrivals": "initialise it with the number of threads that arrive",
    "proxy": "put `fence.proxy.async` between the stores and the copy",
}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source."""
    from ...analyzer.analyses.warp_intrinsics.mbarriers import misuses

    for found in once_each(misuses(facts), lambda found: found.second.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: Misuse) -> Finding:
    first, second = found.first.location, found.second.location
    launch = found.launch
    return Finding(
        RULE,
        second.span,
        (Part(_message(found), first.span),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label=_LABELS[found.kind.value],
        evidence=(
            Fact("missing", found.kind.value),
            Fact("object", found.item.name),
            Fact("expected", found.expected),
            Fact("arriving", found.arriving),
        ),
        assumptions=(() if launch is None else (assumed_block(launch),)),
        related=(
            Related(first.span, "written here" if found.kind.value == "proxy" else "made here"),
            *call_sites(second),
        ),
        fixes=(Fix(_FIXES[found.kind.value]),),
    )


_LABELS = {
    "barrier": "may come before it is made",
    "fence": "signals an mbarrier that its proxy may not see",
    "arrivals": "waits for ever",
    "proxy": "may read what was there before",
}


def _message(found: Misuse) -> str:
    name, kind = f"`{found.item.name}`", found.kind.value
    if kind == "barrier":
        return f"threads that did not make {name} use it with no barrier behind its initialisation"
    if kind == "fence":
        return f"a bulk copy signals {name} with no fence behind its initialisation"
    if kind == "arrivals":
        return f"{name} expects {found.expected} arrivals, but only {found.arriving} come"
    return f"a bulk copy reads {name} with no `fence.proxy.async` behind the stores to it"
