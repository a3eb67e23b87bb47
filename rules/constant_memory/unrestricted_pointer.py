"""
## What it does

Finds loops that load from arrays which the kernel never writes and store to another one, where
neither pointer is `__restrict__`.

## Why is this bad?

The compiler must assume that the store changes what the next iteration loads. When it unrolls the
loop, each load then waits for the store before it: a thread has one load under way instead of
several. Measured on an H100, `out[i] = values[index[i]]` in a loop over the grid takes 15 % less
time with `const __restrict__` where the multiprocessors are full, and 60 % less where one block of
256 threads is resident; an unrolled loop of eight elements for each thread takes 13 % less. A loop
over the grid in which other warps hide the wait gained nothing, and one small gather from L2 took
7 % more: measure before and after.

Nsight Compute shows the wait as `stall_long_scoreboard` of the first use of what is loaded.

## Example

```cuda
__global__ void gather(const float *values, const int *index, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = values[index[i]];
}
```

## Use instead

```cuda
__global__ void gather(const float *__restrict__ values, const int *__restrict__ index,
                       float *__restrict__ out, int n) {
```

## Known problems

Off by default, as one kernel in ten has such a loop and what it gains is not estimated. Where the
pointers overlap, `__restrict__` makes the result undefined. Without a loop nothing is reported; nor
are loops over a grid that covers all elements or whose size is not known, and loops that keep the
order for another reason: barriers, calls, atomics, conditions around the load, or reads of what
they store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.findings.verifying import source_counters
from ...analyzer.source.words import listed
from .._shared.places import call_sites, object_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.held_up_loads import HeldUpLoads

RULE = Rule(
    code="CON003",
    name="unrestricted-pointer",
    summary="loads of a loop that wait for a store, as their pointers are not `__restrict__`",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    inputs=frozenset({Input.CUDA}),
    default=False,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each kernel, at the first of its loops."""
    from ...analyzer.analyses.memory_traffic.held_up_loads import held_up_loads

    found = sorted(held_up_loads(facts), key=lambda each: each.loads[0].location.span.start)
    spans = dict.fromkeys(each.loads[0].location.span for each in found)
    if found:
        places = tuple(Related(span, "and here") for span in list(spans)[1:])
        yield _finding(facts, found[0], places)


def _finding(facts: KernelFacts, found: HeldUpLoads, others: tuple[Related, ...]) -> Finding:
    load, store = found.loads[0], found.store
    items = {each: facts.points_to.object_of(each) for each in (*found.loads, store)}
    stored = items[store]
    assert stored is not None
    read = dict.fromkeys(item for each in found.loads if (item := items[each]) is not None)
    names = [object_name(item) for item in read]
    declared = [
        Related(item.span, f"{object_name(item)} is declared here")
        for item in (*read, stored)
        if item.span is not None
    ]
    here = load.location.span
    store_place = store.location.span
    shown = [] if store_place == here else [Related(store_place, "the store that may change it")]
    return Finding(
        RULE,
        here,
        (
            Part(f"loads from {listed(names)} wait for the store to {object_name(stored)} of the "),
            Part("iteration before: the compiler must assume that they alias"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="not loaded ahead of the store",
        evidence=(Fact("loads", len(found.loads)), Fact("may_alias", [object_name(stored)])),
        related=(*shown, *declared, *others, *call_sites(load.location)),
        fixes=(
            Fix(
                f"declare {listed(names)} `const ... *__restrict__` and {object_name(stored)} "
                "`__restrict__` if they never overlap"
            ),
        ),
        verify=source_counters("stall_long_scoreboard of this line"),
    )
