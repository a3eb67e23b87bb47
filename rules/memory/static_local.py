"""
## What it does

Finds `static` variables inside device functions that a kernel writes to.

## Why is this bad?

In host code `static` means "keeps its value from call to call". In device code it also means one
variable in global memory for all threads of all blocks of all launches: every thread writes to the
same location, unordered. `nvcc` does not warn about it.

## Example

```cuda
__global__ void count(const int* data, int* out) {
    static int hits = 0;                  // one for the whole grid, never reset
    if (data[threadIdx.x] > 0) ++hits;    // a race
    out[threadIdx.x] = hits;
}
```

## Use instead

```cuda
__global__ void count(const int* data, int* out) {
    int hits = 0;                         // one per thread
    if (data[threadIdx.x] > 0) ++hits;
    out[threadIdx.x] = hits;
}
```

## Known problems

A variable that is only read, or only updated by atomics, is not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.memory import MemoryObject
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="MEM007",
    name="static-local",
    summary="a write to a static variable in device code, which all threads share",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each such variable, at its first store."""
    from ...analyzer.ir.operations import AccessKind

    told: set[MemoryObject] = set()
    for access in facts.accesses:
        object = facts.points_to.object_of(access)
        if access.kind is not AccessKind.STORE or object is None or object in told:
            continue
        if _is_local(object):
            told.add(object)
            yield _finding(facts, access, object)


def _is_local(object: MemoryObject) -> bool:
    """Whether an object in global memory was declared inside of a function."""
    from ...analyzer.ir.memory import Space

    if object.space is not Space.GLOBAL or object.pointee:
        return False
    return object.in_function


def _finding(facts: KernelFacts, access: MemoryAccess, object: MemoryObject) -> Finding:
    declared = object.span
    related = () if declared is None else (Related(declared, "one for the whole grid"),)
    return Finding(
        RULE,
        access.location.span,
        (
            Part("every thread of the grid writes to the same "),
            Part(object.name, declared),
            Part(": a static variable in device code is shared by all threads"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="data race: written by all threads",
        evidence=(Fact("object", object.name), Fact("bytes", object.size)),
        related=related,
        fixes=(Fix("drop `static` to get one variable per thread, or update it with atomics"),),
    )
