"""
## What it does

Finds per-thread arrays of 1 KB or more that are certain to be placed in local memory.

## Why is this bad?

Local memory is off-chip: every thread has its own copy, and those of all resident threads quickly
exceed the L1 cache. 2 KB for each of 2,048 threads are 4 MB on a multiprocessor with a cache of at
most 256 KB. A thread has 512 KB in total; a kernel that needs more cannot be launched.

## Example

```cuda
float history[512];                       // 2 KB in local memory
for (int i = 0; i < n; ++i) history[i] = in[i];
```

## Use instead

```cuda
__shared__ float history[512];            // on-chip, one per block
```

## Known problems

Arrays that the compiler may keep in registers are not reported, whatever their size.
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
    from ...analyzer.ir.memory import MemoryObject

RULE = Rule(
    code="LOC003",
    name="large-local-array",
    summary="a large per-thread array in local memory",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
)

_LARGE = 1024  # bytes per thread
_FORCES = "forces it into local memory"


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each array."""
    from ...analyzer.analyses.pointers.local_arrays import judge
    from ...analyzer.hardware.local_arrays import Residence

    for item in facts.kernel.objects:
        if item.space is not Space.LOCAL or item.size is None or item.size < _LARGE:
            continue
        fate = judge(facts, item)
        if fate.residence is Residence.LOCAL:
            related = () if fate.span is None else (Related(fate.span, _FORCES),)
            yield _finding(facts, item, fate.why, related)


def _finding(
    facts: KernelFacts, item: MemoryObject, why: str, related: tuple[Related, ...]
) -> Finding:
    arch, size = facts.architecture, item.size or 0
    resident = size * arch.threads_per_sm
    fatal = size > arch.local_per_thread
    text = f" takes {plural(size, 'byte')} of local memory per thread"
    text += (
        f": {arch.name} allows {arch.local_per_thread:,}"
        if fatal
        else f", up to {resident // 1024:,} KB for all resident threads of a multiprocessor"
    )
    return Finding(
        RULE,
        item.span or facts.kernel.span,
        (Part(item.name, item.span), Part(text)),
        facts.kernel.label,
        Severity.ERROR if fatal else RULE.severity,
        label=f"{plural(size, 'byte')} per thread",
        evidence=(
            Fact("bytes", size),
            Fact("resident_bytes", resident),
            Fact("why", why, f"in local memory because {why}"),
        ),
        related=related,
        fixes=(Fix("declare it `__shared__` if threads can share it, or process smaller pieces"),),
        verify=compiled(facts, "bytes stack frame"),
    )
