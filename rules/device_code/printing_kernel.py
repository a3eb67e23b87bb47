"""
## What it does

Finds `printf` that every thread of a kernel calls which computes something.

## Why is this bad?

Each call formats into a buffer that all threads share, takes a stack frame and registers for its
arguments, and keeps the compiler from moving memory accesses across it. In a kernel that was to be
measured it is most often left from looking for a mistake.

## Example

```cuda
a[i] = sqrtf(a[i]);
printf("a[%d] = %f\\n", i, a[i]);
```

## Use instead

```cuda
a[i] = sqrtf(a[i]);
#ifdef DEBUG
printf("a[%d] = %f\\n", i, a[i]);
#endif
```

## Known problems

Kernels that store nothing are there to print. A `printf` for a single thread, or behind a condition
on data, reports something, and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Joins, Rule
from .._shared.places import call_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="DEV001",
    name="printing-kernel",
    summary="a kernel that computes something and prints from every thread",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    joins=Joins.HABIT,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each call of `printf` that every thread of a kernel reaches."""
    from ...analyzer.analyses.storage.heap_and_print import prints_of_all

    for call in prints_of_all(facts):
        yield Finding(
            RULE,
            call.location.span,
            (Part("every thread calls `printf` in a kernel that computes something"),),
            facts.kernel.label,
            RULE.severity,
            label="takes a stack frame, registers and a shared buffer",
            evidence=(Fact("arguments", max(len(call.operands) - 1, 0)),),
            related=call_sites(call.location),
            fixes=(Fix("remove it, or compile it for debugging only"),),
        )
