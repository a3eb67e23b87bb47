"""
## What it does

Finds stores and atomics by a kernel to `__constant__` memory, also through a pointer.

## Why is this bad?

Kernels can only read constant memory: the host fills it with `cudaMemcpyToSymbol`. A store from a
kernel has undefined behaviour; nvcc 13.0 warns in the simplest case and removes the store, so the
constant keeps its old value.

## Example

```cuda
__constant__ int limits[4];

__global__ void initialise() {
    limits[threadIdx.x] = 100;
}
```

## Use instead

```cuda
__constant__ int limits[4];
...
cudaMemcpyToSymbol(limits, host_limits, sizeof limits);   // on the host, before the launch
```

## Known problems

A kernel parameter that the host has set to the address of a constant is not recognised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.places import call_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="MEM006",
    name="constant-write",
    summary="a kernel writes to constant memory",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CUDA-1.12",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each access that writes to constant memory and nowhere else."""
    from ...analyzer.ir.memory import Space

    for access in facts.accesses:
        if access.writes and facts.points_to.spaces(access) == {Space.CONSTANT}:
            yield _finding(facts, access)


def _finding(facts: KernelFacts, access: MemoryAccess) -> Finding:
    object = facts.points_to.object_of(access)
    name = "constant memory" if object is None else object.name
    declared = None if object is None else object.span
    related = () if declared is None else (Related(declared, f"{name} is declared here"),)
    return Finding(
        RULE,
        access.location.span,
        (
            Part("write to "),
            Part(name, declared),
            Part(", which kernels can only read: it is in constant memory"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="undefined behaviour",
        evidence=(Fact("kind", access.kind.value), Fact("object", name)),
        related=(
            *related,
            *call_sites(access.location),
        ),
        fixes=(Fix("declare it `__device__`, or write it on the host with `cudaMemcpyToSymbol`"),),
    )
