"""
## What it does

Finds loops that store to the same address of global memory in every iteration, such as
`for (k...) c[i] += a[k] * b[k]`, where the compiler cannot leave the store until after the loop.

## Why is this bad?

The loop reads through other pointers, and the compiler must assume that they alias `c[i]`: so it
writes every intermediate sum to memory before it reads on. That is one store per iteration instead
of one after the loop, and loads cannot be moved up across it.

Nsight Compute's source page shows it as `inst_executed` of the store: once per iteration.

## Example

```cuda
__global__ void product(float* c, const float* a, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; ++k)
        c[i] += a[k] * b[k * n + i];
}
```

## Use instead

```cuda
__global__ void product(float* c, const float* a, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = c[i];
    for (int k = 0; k < n; ++k)
        sum += a[k] * b[k * n + i];
    c[i] = sum;
}
```

## Known problems

`__restrict__` is recognised on a parameter, not on a pointer inside a class. If the pointers are
meant to alias, the loop is right as it is. The finding is a note where less than a twentieth of the
kernel's time is to be gained, by a rough estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from ...analyzer.source.words import listed, plural
from .._shared.accesses import array_of, origin_facts, place_of, related_places
from .._shared.doubts import doubts_about
from .._shared.gains import kept_gain, severity_by_gain, stated
from .._shared.places import object_name, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.loop_stores import LoopStore

RULE = Rule(
    code="GLB008",
    name="loop-global-accumulate",
    summary="every iteration of a loop stores to the same address of global memory",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    judged=("loop-store",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each loop and object, and for each place of the source."""
    from ...analyzer.analyses.memory_traffic.loop_stores import loop_stores

    for found in once_each(loop_stores(facts), lambda found: place_of(found.address)):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: LoopStore) -> Finding:
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_LOOP_STORES

    store, object = found.address.access, found.address.object
    assert object is not None
    other = found.others[0]
    gain = kept_gain(facts, [each for each in (store, found.load) if each is not None])
    message = (
        Part("every iteration of the loop stores to the same address of "),
        Part(object_name(object), object.span),
        Part(": possible aliasing keeps the store in the loop"),
    )
    why = Related(other.location.span, "may alias: the compiler cannot rule it out")
    shown = () if other.location.span == store.location.span else (why,)
    return Finding(
        RULE,
        store.location.span,
        message,
        facts.kernel.label,
        severity_by_gain(RULE.severity, gain),
        label="stored in every iteration",
        evidence=tuple(_evidence(facts, found)),
        related=(*related_places(found.address), *shown),
        array=array_of(found.address),
        gain=stated(gain),
        cause=found.loop.header.terminator.location.span,  # sums of one loop are kept alike
        fixes=(
            Fix(
                "accumulate in a local variable and store it after the loop, or declare the "
                "pointers `__restrict__` if they never alias"
            ),
        ),
        verify=source_counters("inst_executed of this line"),
        doubts=doubts_about(facts, OF_LOOP_STORES, found),
    )


def _evidence(facts: KernelFacts, found: LoopStore) -> Iterator[Fact]:
    if found.load is not None:
        yield Fact("read_back", True, "the source reads the value back in the loop")
    object = found.address.object
    assert object is not None
    names = [facts.points_to.object_of(other) for other in found.others]
    known = list(dict.fromkeys(object_name(each) for each in names if each is not None))
    alias = f"{object_name(object)} may alias {listed(known)}" if known else None
    yield Fact("may_alias", [*known], alias)
    iterations = facts.compile_time.iterations(found.loop)
    if iterations is not None:
        yield Fact("rounds", iterations, f"the loop runs {plural(iterations, 'iteration')}")
    yield from origin_facts(found.address)
