"""
## What it does

Finds block-wide collectives of CUB (`BlockReduce`, `BlockScan`, `BlockRadixSort`, ...) that use
temporary storage again with no barrier after the collective that used it before.

## Why is this bad?

A collective returns to a thread as soon as that thread has its result, while others may still read
the storage. "A subsequent __syncthreads() threadblock barrier should be invoked after calling this
method if the collective's temporary storage is to be reused or repurposed" (CUB documentation). The
next collective then overwrites what they read, and some results are wrong now and then.

## Example

```cuda
__shared__ typename BlockReduce::TempStorage storage;
float sum = BlockReduce(storage).Sum(x);
float most = BlockReduce(storage).Reduce(x, cub::Max());
```

## Use instead

```cuda
__shared__ typename BlockReduce::TempStorage storage;
float sum = BlockReduce(storage).Sum(x);
__syncthreads();
float most = BlockReduce(storage).Reduce(x, cub::Max());
```

## Known problems

Silent where any path between the two has a barrier, a collective in other storage, or a call whose
body is not available, and for blocks of one warp. Unions of storages and collectives of a warp are
not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.findings.verifying import sanitizer
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.collective_storage import Reuse
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="SYN011",
    name="collective-storage-reuse",
    summary="temporary storage of a block-wide collective used again with no barrier between",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
    references=("CWE-820", "CWE-362"),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place that reuses a collective's temporary storage with no barrier."""
    from ...analyzer.analyses.barriers.collective_storage import reused_storage

    for found in once_each(reused_storage(facts), lambda found: found.second.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: Reuse) -> Finding:
    first, second = found.first.location, found.second.location
    again = found.first is found.second
    related = [] if again else [Related(first.span, "used here before")]
    before = "its previous iteration" if again else f"`{found.first.name}`"
    return Finding(
        RULE,
        second.span,
        (
            Part(f"`{found.second.name}` uses `{found.storage.name}` again with no barrier after "),
            Part(before, None if again else first.span),
        ),
        facts.kernel.label,
        RULE.severity,
        label="other threads may still use the storage",
        evidence=(Fact("storage", found.storage.name),),
        related=(*related, *call_sites(second)),
        fixes=(Fix("insert `__syncthreads()` before it, or give it storage of its own"),),
        verify=sanitizer("racecheck"),
    )
