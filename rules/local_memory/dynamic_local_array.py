"""
## What it does

Finds per-thread arrays that are certain to be placed in local memory because of how they are
indexed.

## Why is this bad?

Registers cannot be indexed. An array whose index is not a constant after loop unrolling, and that
is too large for the compiler to select among its elements, is placed in local memory: off-chip,
with the cost of a global memory access unless it hits in a cache.

## Example

```cuda
float values[32];
for (int i = 0; i < n; ++i) values[i] = in[i];       // n is unknown at compile time
out[threadIdx.x] = values[which];
```

## Use instead

```cuda
float values[32];
#pragma unroll
for (int i = 0; i < 32; ++i) values[i] = i < n ? in[i] : 0.0f;    // constant indices
float chosen = 0.0f;
#pragma unroll
for (int i = 0; i < 32; ++i) chosen = i == which ? values[i] : chosen;
out[threadIdx.x] = chosen;
```

## Known problems

Off unless selected: of 11 findings read in public code its owners would act on 3, as most of these
arrays are stacks and tables that data indexes. The sizes up to which the compiler keeps an array in
registers were measured with ptxas 13.0; arrays for which its decisions varied are not reported.
Arrays of 1 KB and more are reported by LOC003.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import compiled
from ...analyzer.ir.memory import Space
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.pointers.local_arrays import LocalArray
    from ...analyzer.ir.memory import MemoryObject

RULE = Rule(
    code="LOC001",
    name="dynamic-local-array",
    summary="a per-thread array in local memory because of how it is indexed",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    default=False,
)

_EVERY_ARRAY = "arrays of each thread"  # of one kernel: one finding for all of them
_LARGE = 1024  # bytes per thread: LOC003 reports these


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each array of a thread that its indexing puts into local memory."""
    from ...analyzer.analyses.pointers.local_arrays import judge
    from ...analyzer.hardware.local_arrays import Residence

    for item in facts.kernel.objects:
        if item.space is not Space.LOCAL or item.size is None or item.size >= _LARGE:
            continue
        fate = judge(facts, item)
        if fate.residence is Residence.LOCAL:
            yield _finding(facts, item, fate)


def _finding(facts: KernelFacts, item: MemoryObject, fate: LocalArray) -> Finding:
    related = () if fate.span is None else (Related(fate.span, "forces it into local memory"),)
    return Finding(
        RULE,
        item.span or facts.kernel.span,
        (
            Part(item.name, item.span),
            Part(f" is in local memory ({plural(item.size or 0, 'byte')} per thread): {fate.why}"),
        ),
        facts.kernel.label,
        RULE.severity,
        label=f"{plural(item.size or 0, 'byte')} not in registers",
        evidence=(
            Fact("bytes", item.size),
            Fact("elements", fate.elements),
            Fact("pattern", fate.pattern),
        ),
        related=related,
        array=_EVERY_ARRAY,
        fixes=(
            Fix("`#pragma unroll` the loops so that every index is constant, or use `__shared__`"),
        ),
        verify=compiled(facts, "bytes stack frame"),
    )
