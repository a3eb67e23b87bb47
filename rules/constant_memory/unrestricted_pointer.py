"""
## What it does

Finds loads from arrays which a kernel never writes while it stores to another one, where neither
pointer is `__restrict__`: of a loop whose next iteration waits for the store, or, in a kernel
without such a loop, of loads that do not use the read-only path (`ld.global.nc`).

## Why is this bad?

The compiler must assume that the store changes what the next iteration loads. When it unrolls the
loop, each load then waits for the store before it: a thread has one load under way instead of
several. Measured on an H100, `out[i] = values[index[i]]` in a loop over the grid takes 15 % less
time with `const __restrict__` where the multiprocessors are full, and 60 % less where one block of
256 threads is resident; an unrolled loop of eight elements for each thread takes 13 % less. A loop
over the grid in which other warps hide the wait gained nothing, and one small gather from L2 took
7 % more: measure before and after. Without a loop no gain was measured.

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

Off by default, as one kernel in ten has such a loop, half of all kernels have such loads, and what
they gain is not estimated. Where the pointers overlap, `__restrict__` makes the result undefined.
`warplint inspect memory-spaces` prints which parameters are loaded by which path. Not waiting are
loops over a grid that covers all elements or whose size is not known, and loops that keep the
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
    from collections.abc import Iterator, Sequence

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.held_up_loads import HeldUpLoads
    from ...analyzer.analyses.pointers.read_only_path import LoadedObject
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="CON003",
    name="unrestricted-pointer",
    summary="loads that a store may change for all the compiler knows, without `__restrict__`",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    inputs=frozenset({Input.CUDA}),
    default=False,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each kernel with loads that lack `__restrict__`, at its first loop or
    load.
    """
    from ...analyzer.analyses.memory_traffic.held_up_loads import held_up_loads
    from ...analyzer.analyses.pointers.read_only_path import LoadPath, loaded_objects

    found = sorted(held_up_loads(facts), key=lambda each: each.loads[0].location.span.start)
    spans = dict.fromkeys(each.loads[0].location.span for each in found)
    if found:
        places = tuple(Related(span, "and here") for span in list(spans)[1:])
        yield _finding(facts, found[0], places)
        return
    declared = {parameter.pointee for parameter in facts.kernel.parameters}
    plain = [
        each
        for each in loaded_objects(facts)
        if each.path is LoadPath.MAY_ALIAS and each.item in declared
    ]
    stores = [each.store for each in plain if each.store is not None]
    if stores:
        yield _not_read_only(facts, plain, stores[0])


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


def _not_read_only(
    facts: KernelFacts, found: Sequence[LoadedObject], store: MemoryAccess
) -> Finding:
    loads = sorted((load for each in found for load in each.loads), key=_place)
    names = [object_name(each.item) for each in found]
    stored = facts.points_to.object_of(store)
    target = "a store" if stored is None else f"the store to {object_name(stored)}"
    here = loads[0].location.span
    shown = [] if store.location.span == here else [Related(store.location.span, "this store")]
    return Finding(
        RULE,
        here,
        (
            Part(f"loads from {listed(names)} do not use the read-only path: the compiler must "),
            Part(f"assume that {target} changes them"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="ld.global, not ld.global.nc",
        evidence=(Fact("loads", len(loads)), Fact("parameters", [*names])),
        related=(*shown, *call_sites(loads[0].location)),
        fixes=(Fix(f"declare {listed(names)} `const ... *__restrict__` if nothing overlaps"),),
    )


def _place(access: MemoryAccess) -> int:
    return access.location.span.start
