"""
## What it does

Finds threads that access global memory beyond the end of an array, or before it: the array has the
size of its declaration, or the one that the host allocates for the pointer that a launch passes.
Where no allocation is in sight, finds kernels without a bounds check whose launch rounds up: 1,000
elements in 4 blocks of 256 threads are 1,024 threads.

## Why is this bad?

Grids consist of whole blocks. The threads beyond the size read and write past the end of the array:
usually other data, sometimes a fault, and seldom at the sizes that were tested.

## Example

```cuda
__global__ void scale(float* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    p[i] *= 2.0f;
}
...
cudaMalloc(&p, n * sizeof(float));
scale<<<(n + 255) / 256, 256>>>(p, n);
```

## Use instead

```cuda
    if (i >= n) return;
```

## Known problems

Allocations are followed within one function of the host, and what data decides is not judged. Sizes
that the host chooses are tried with numbers that are no multiples of a block, unless it checks that
they are; a finding holds for all that were tried. Without an allocation, that an argument is the
size which the grid covers is inferred from the numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Assumption, Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import sanitizer
from ...analyzer.ir.memory import Space
from .._shared.accesses import assumptions_of, object_part, place_of, related_places
from .._shared.overruns import overrun_finding
from .._shared.places import object_name, once_each

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.array_bounds.overruns import Overrun
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.missing_guards import MissingGuard

RULE = Rule(
    code="GLB006",
    name="global-out-of-bounds",
    summary="a thread accesses global memory beyond the end of an array",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    costly=True,
    references=("CWE-125", "CWE-787"),
    judged=("overrun",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each object, at the first of its accesses; for all objects that a thread
    leaves at one index, as `z[i] = x[i] + y[i]` does, or behind one guard that lets a thread too
    many through, the first of them.
    """
    from ...analyzer.analyses.array_bounds.loose_guards import loose_guards
    from ...analyzer.analyses.memory_traffic.missing_guards import missing_guards

    beyond = [each for each in facts.overruns if each.item.space is Space.GLOBAL]
    alike: dict[Hashable, list[Overrun]] = {}
    for overrun in once_each(beyond, lambda each: each.item):
        cause = loose_guards(facts.flow, overrun.access) or _index(overrun)
        alike.setdefault(cause, []).append(overrun)
    for overrun, *others in alike.values():
        finding = overrun_finding(RULE, facts, overrun)
        likewise = tuple(_likewise(other) for other in others)
        yield replace(finding, related=(*finding.related, *likewise))
    known = {each.item for each in beyond}
    for found in once_each(missing_guards(facts), lambda found: place_of(found.address)):
        if found.address.object not in known:
            yield _finding(facts, found)


def _index(overrun: Overrun) -> Hashable:
    """Which thread leaves an array of how many elements where."""
    width = overrun.access.width or 1
    return overrun.block, overrun.thread, overrun.offset / width, overrun.size / width


def _likewise(overrun: Overrun) -> Related:
    return Related(overrun.access.location.span, f"beyond the end of {object_name(overrun.item)}")


def _finding(facts: KernelFacts, found: MissingGuard) -> Finding:
    address = found.address
    operation = address.access
    axis = "xyz"[found.axis]
    over = found.threads - found.size
    message = (
        Part(f"{over:,} of {found.threads:,} threads along {axis} access "),
        object_part(address, "global memory"),
        Part(f" beyond {found.parameter.name} = {found.size}: the bounds check is missing"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"out of bounds in threads {found.size} to {found.threads - 1}",
        evidence=(
            Fact("axis", axis),
            Fact("threads", found.threads),
            Fact("size", found.size),
            Fact("parameter", found.parameter.name),
        ),
        assumptions=(
            *assumptions_of(address),
            Assumption("grid", list(address.launch.grid), address.launch.origin),
        ),
        related=related_places(address),
        fixes=(Fix(f"guard the access with `if (index < {found.parameter.name})`"),),
        verify=sanitizer("memcheck"),
    )
