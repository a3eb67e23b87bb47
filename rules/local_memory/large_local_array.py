"""
## What it does

Finds arrays of a thread that are sure to live in local memory and are large: 1 KB or more.

## Why is this bad?

Local memory is off the chip: every thread has its own copy, and all resident threads together
quickly exceed the L1 cache. 2 KB for each of 2,048 threads are 4 MB on a multiprocessor with a
cache of 256 KB at most. A thread has 512 KB in all; a kernel that needs more cannot be launched.

## Example

```cuda
float history[512];                       // 2 KB in local memory
for (int i = 0; i < n; ++i) history[i] = in[i];
```

## Use instead

```cuda
__shared__ float history[512];            // on the chip, once for the block
```

## Known problems

Arrays that the compiler may keep in registers are not reported, whatever their size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.memory import MemoryObject

RULE = Rule(
    code="LOC003",
    name="large-local-array",
    summary="a large array of each thread in local memory",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
)

_LARGE = 1024  # bytes per thread


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each array."""
    from ...analyzer.analyses.pointers.local_arrays import judge
    from ...analyzer.hardware.local_arrays import Residence

    for item in facts.kernel.objects:
        if item.space is not Space.LOCAL or item.size is None or item.size < _LARGE:
            continue
        fate = judge(facts, item)
        if fate.residence is Residence.LOCAL:
            related = () if fate.span is None else (Related(fate.span, "this decides"),)
            yield _finding(facts, item, fate.why, related)


def _finding(
    facts: KernelFacts, item: MemoryObject, why: str, related: tuple[Related, ...]
) -> Finding:
    arch, size = facts.architecture, item.size or 0
    resident = size * arch.threads_per_sm
    fatal = size > arch.local_per_thread
    text = f" takes {size} bytes of local memory in each thread"
    text += (
        f": {arch.name} allows {arch.local_per_thread}"
        if fatal
        else f", up to {resident // 1024} KB on a full multiprocessor"
    )
    return Finding(
        RULE,
        item.span or facts.kernel.span,
        (Part(item.name, item.span), Part(text)),
        facts.kernel.instance or facts.kernel.name,
        Severity.ERROR if fatal else RULE.severity,
        label=f"{size} bytes per thread",
        evidence=(
            Fact("bytes", size),
            Fact("resident_bytes", resident),
            Fact("why", why, f"why: {why}"),
        ),
        related=related,
        fixes=(Fix("share it among the threads of a block, or work on smaller pieces"),),
        verify="nvcc -Xptxas -v: bytes stack frame",
    )
