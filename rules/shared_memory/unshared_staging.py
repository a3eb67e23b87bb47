"""
## What it does

Finds arrays in shared memory whose elements are read only by the thread that stored them: data goes
from global to shared memory, across a barrier, and back into the same thread.

## Why is this bad?

Shared memory pays off when threads use what others have loaded, or when it makes accesses to global
memory coalesced. Here a register would do: the store, the load, the barrier that all threads wait
for, and the shared memory, which may cost resident blocks, are pure overhead.

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

One block is simulated to see which thread reads what, and the second and the last one of the grid
where `blockIdx` has a part in which elements. Not reported are arrays that hold computed values,
arrays with data-dependent indices, arrays of which each thread uses several elements as a
replacement for local memory, and asynchronous copies, which hide latency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts, LaunchFacts
    from ...analyzer.analyses.memory_traffic.block_reuse import OwnElements
    from ...analyzer.ir.memory import MemoryObject

RULE = Rule(
    code="SHM003",
    name="unshared-staging",
    summary="an array in shared memory whose elements no two threads share",
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
    size = f" ({plural(item.size, 'byte')})" if item.size else ""
    loaded, bare = own.load.location.span, not _shares_others(facts, item)
    related = [Related(own.store.location.span, "stored here, by the same thread")]
    related += [Related(each.location.span, _BARRIER) for each in own.barriers[: int(bare)]]
    if item.span is not None:
        related.insert(1, Related(loaded, "the element that this thread stored"))
    return Finding(
        RULE,
        item.span or loaded,
        (
            Part("each thread reads from "),
            Part(item.name, item.span),
            Part(f" only what it stored itself: a register would do{_WITHOUT if bare else ''}"),
        ),
        facts.kernel.label,
        RULE.severity,
        label=f"no two threads share an element{size}",
        evidence=(
            Fact("object", item.name),
            Fact("bytes", item.size),
            Fact("reuse", 1, "every element is used by a single thread"),
            Fact("barriers", [each.location.span.line for each in own.barriers]),
        ),
        assumptions=(assumed_block(block),),
        related=tuple(related),
        fixes=(Fix(f"keep the value in a register instead of {item.name}"),),
    )


def _shares_others(facts: KernelFacts, item: MemoryObject) -> bool:
    """Whether other arrays are in shared memory, which may need the barriers."""
    touched = (other for each in facts.accesses for other in facts.points_to.touched(each))
    return any(
        each is not None and each is not item and each.space is Space.SHARED for each in touched
    )


_WITHOUT = ", without barrier"
_BARRIER = "no thread needs this barrier for the array"
