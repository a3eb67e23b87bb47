"""
## What it does

Finds `static` variables inside device functions that a kernel writes to. One that is not `const`
and only read is a note.

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

A variable that is only updated by atomics is not reported, nor is a `const` one, nor one that says
what it is: `static __device__ int calls`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.operations import AccessKind

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

_PLAIN = frozenset({AccessKind.LOAD, AccessKind.STORE})


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each static variable of device code, at its first store or read."""
    first: dict[MemoryObject, MemoryAccess] = {}
    for access in facts.accesses:
        object = facts.points_to.object_of(access)
        if object is not None and _is_local(object) and access.kind in _PLAIN:
            known = first.setdefault(object, access)
            if not known.writes and access.writes:
                first[object] = access
    unknown = facts.writers.get(None)
    for object, access in first.items():
        if access.kind is AccessKind.STORE:
            yield _finding(facts, access, object)
        elif not (object.constant or unknown or facts.writers.get(object)):
            yield _only_read(facts, access, object)


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


def _only_read(facts: KernelFacts, access: MemoryAccess, object: MemoryObject) -> Finding:
    declared = object.span
    return Finding(
        RULE,
        declared or access.location.span,
        (
            Part(object.name, declared),
            Part(" is one variable in global memory for all threads, which the kernel only reads"),
        ),
        facts.kernel.label,
        Severity.NOTE,
        label="static, but not const",
        evidence=(Fact("object", object.name), Fact("bytes", object.size)),
        related=(Related(access.location.span, "loaded here by every thread"),),
        fixes=(Fix("declare it `constexpr`, or `const` without `static`"),),
    )
