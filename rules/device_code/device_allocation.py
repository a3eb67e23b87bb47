"""
## What it does

Finds kernels whose threads take memory from the heap of the device: `malloc`, `new`.

## Why is this bad?

The heap has 8 MB unless the host asks for more; `malloc` returns null beyond it. Threads queue for
it, so that a call of all threads takes milliseconds, and what neighbouring threads get lies apart:
no access to it is coalesced. Without a `free` it stays taken until the context ends.

## Example

```cuda
int *scratch = (int *)malloc(count * sizeof(int));
```

## Use instead

```cuda
int *scratch = all_scratch + i;           // from cudaMalloc; element k at scratch[k * threads]
```

## Known problems

`new` of a class is not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.places import call_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="DEV002",
    name="device-allocation",
    summary="threads of a kernel take memory from the heap of the device",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each call in a kernel that takes memory from the device's heap."""
    from ...analyzer.analyses.storage.heap_and_print import allocations

    for call in allocations(facts):
        yield Finding(
            RULE,
            call.location.span,
            (Part(f"every thread that comes here calls `{call.callee}` on the device's heap"),),
            facts.kernel.label,
            RULE.severity,
            label="threads queue for the heap",
            evidence=(Fact("function", call.callee),),
            related=call_sites(call.location),
            cause=facts.kernel.span,
            fixes=(Fix("allocate with cudaMalloc on the host and give each thread a part"),),
        )
