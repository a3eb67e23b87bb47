"""
## What it does

Finds kernels without a bounds check although the launch in the same file rounds up: 1,000 elements
in 4 blocks of 256 threads are 1,024 threads, and the last 24 access memory beyond the array.

## Why is this bad?

Grids consist of whole blocks. The threads beyond the size read and write past the end of the array:
usually other data, sometimes a fault, and never at the sizes that were tested.

## Example

```cuda
__global__ void scale(float* p, int n) {
    p[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f;
}
...
scale<<<(1000 + 255) / 256, 256>>>(p, 1000);
```

## Use instead

```cuda
__global__ void scale(float* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2.0f;
}
```

## Known problems

Off unless selected: that an argument is the size which the grid covers is inferred from the
numbers, which may agree by chance. Only launches whose grid, block and size are known from the file
are checked. Buffers that are padded to whole blocks are not recognised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Assumption, Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.findings.verifying import sanitizer
from .._shared.accesses import (
    assumptions_of,
    object_part,
    place_of,
    related_places,
)
from .._shared.places import once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.missing_guards import MissingGuard

RULE = Rule(
    code="GLB006",
    name="missing-bounds-guard",
    summary="the last threads of a rounded-up grid access elements out of bounds",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
    default=False,
    references=("CWE-787",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each object, at the first of its accesses."""
    from ...analyzer.analyses.memory_traffic.missing_guards import missing_guards

    for found in once_each(missing_guards(facts), lambda found: place_of(found.address)):
        yield _finding(facts, found)


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
