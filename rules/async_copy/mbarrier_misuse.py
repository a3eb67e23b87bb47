"""
## What it does

Reports mbarriers (`cuda::barrier`, PTX `mbarrier`) that other threads use with no block barrier
after the initialisation, that expect more arrivals than there are, or fewer than arrive and wait at
one place, or that a bulk copy signals with no fence after the initialisation or without
`expect_tx`; and bulk copies out of shared memory with no `fence.proxy.async`
after the stores that filled it.

## Why is this bad?

A thread that arrives at an mbarrier before it is initialised operates on whatever is in memory: it
hangs or passes too early. With too few arrivals a phase never completes; with too many it completes
before all have come, and so it does where nobody says how many bytes a copy will bring. Bulk copies
and tensor copies use the async proxy, which sees stores and initialisations by ordinary
instructions only after a fence between the proxies (PTX ISA, "Proxies"). Code without the fence
usually works on the machine it was written on.

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

Silent where any path between the two accesses has a barrier, a fence, or a call whose body is not
available. Arrivals are counted for single mbarriers where the block is given, in loops only where
all who arrive wait (`arrive_and_wait`).
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
from ...analyzer.source.words import plural
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.warp_intrinsics.mbarriers import Misuse

RULE = Rule(
    code="ASY003",
    name="mbarrier-misuse",
    summary="an mbarrier or bulk copy without the barrier, fence or arrivals that it needs",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-821",),
    costly=True,
)
_FIXES = {
    "barrier": "insert `__syncthreads()` after the initialisation",
    "fence": "insert `fence.mbarrier_init` or `fence.proxy.async` after the initialisation",
    "arrivals": "initialise it with the number of threads that arrive",
    "crowd": "initialise it with the number of threads that arrive",
    "bytes": "arrive by `cuda::device::barrier_arrive_tx`, or `mbarrier.arrive.expect_tx`",
    "proxy": "insert `fence.proxy.async` between the stores and the copy",
}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source that misuses an mbarrier or bulk copy."""
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
        facts.kernel.label,
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
            Related(first.span, _FIRST.get(found.kind.value, "initialised here")),
            *call_sites(second),
        ),
        fixes=(Fix(_FIXES[found.kind.value]),),
    )


_FIRST = {"proxy": "written here"}
_LABELS = {
    "barrier": "may execute before the initialisation",
    "fence": "the async proxy may not see the initialisation",
    "arrivals": "waits forever",
    "crowd": "completes before all have arrived",
    "bytes": "nobody says how many bytes it brings",
    "proxy": "may read stale data",
}


def _message(found: Misuse) -> str:
    name, kind = f"`{found.item.name}`", found.kind.value
    if kind == "barrier":
        return f"other threads use {name} with no barrier after its initialisation"
    if kind == "fence":
        return f"a bulk copy signals {name} with no proxy fence after its initialisation"
    if kind == "arrivals":
        expected = plural(found.expected, "arrival")
        arrive = "arrives" if found.arriving == 1 else "arrive"
        return f"{name} expects {expected}, but only {found.arriving} {arrive}: its waits hang"
    if kind == "crowd":
        expected = plural(found.expected, "arrival")
        return f"{name} expects {expected}, but {found.arriving} threads arrive and wait here"
    if kind == "bytes":
        return f"a bulk copy signals {name}, but no thread arrives with `expect_tx`"
    return f"a bulk copy reads {name} with no `fence.proxy.async` after the stores to it"
