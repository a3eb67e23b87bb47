"""
## What it does

Finds arrays in shared memory whose every element is read by no other thread than the one that
stored it: data goes from global to shared memory, over a barrier, and back into the same thread.

## Why is this bad?

Shared memory pays when threads use what others have loaded, or when it turns scattered accesses
into neighbouring ones. Here a register would do: the store, the load, the barrier that all threads
wait at, and the shared memory, which may cost resident blocks, are pure cost.

## Example

```cuda
__shared__ float tile[256];
tile[threadIdx.x] = in[i];
__syncthreads();
out[i] = 2 * tile[threadIdx.x];
```

## Use instead

```cuda
out[i] = 2 * in[i];
```

## Known problems

One block is run to see who reads what. Left alone are arrays that something else is computed into,
that are read or written at places which hang on data, or of which a thread uses several elements,
as a replacement for local memory; and asynchronous copies, which hide latency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts, LaunchFacts
    from ...analyzer.analyses.memory_traffic.block_reuse import OwnElements

RULE = Rule(
    code="SHM003",
    name="unshared-staging",
    summary="an array in shared memory that each thread uses for itself alone",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array that serves nobody in any launch."""
    from ...analyzer.analyses.memory_traffic.block_reuse import own_elements

    launches = [launch for launch in facts.launches if launch.launch.trusted]
    if not launches or len(launches) < len(facts.launches):
        return
    first, *others = ({own.item: own for own in own_elements(each)} for each in launches)
    for item, own in first.items():
        if all(item in other for other in others):
            yield _finding(facts, launches[0], own)


def _finding(facts: KernelFacts, launch: LaunchFacts, own: OwnElements) -> Finding:
    item, block = own.item, launch.launch
    size = f", {item.size} bytes" if item.size else ""
    related = [Related(own.store.location.span, "stored here, by the same thread")]
    if item.span is not None:
        related.append(Related(item.span, f"{item.name} is declared here{size}"))
    related += [Related(each.location.span, "waits for nobody's data") for each in own.barriers[:1]]
    return Finding(
        RULE,
        own.load.location.span,
        (
            Part("each thread reads back from "),
            Part(item.name, item.span),
            Part(" only what it stored there itself: no thread uses what another has loaded"),
        ),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="its own element",
        evidence=(
            Fact("object", item.name),
            Fact("bytes", item.size),
            Fact("reuse", 1, "every element is used by 1 thread"),
            Fact("barriers", [each.location.span.line for each in own.barriers]),
        ),
        assumptions=(assumed_block(block),),
        related=tuple(related),
        fixes=(Fix("keep the value in a register; the barrier is not needed for this array"),),
    )
