"""
## What it does

Finds per-thread arrays of 1 KB or more, and structures that hold one, that are certain to be placed
in local memory.

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
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.storage.large_locals import LargeLocal

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
    """A finding for each large array of a thread in local memory, and structure that holds one."""
    from ...analyzer.analyses.storage.large_locals import large_locals

    for found in large_locals(facts, _LARGE):
        span = found.fate.span
        yield _finding(facts, found, () if span is None else (Related(span, _FORCES),))


def _finding(facts: KernelFacts, found: LargeLocal, related: tuple[Related, ...]) -> Finding:
    arch, size, why = facts.architecture, found.size, found.fate.why
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
        found.span or facts.kernel.span,
        (Part(found.name, found.span), Part(text)),
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
        cause=facts.kernel.span,  # one frame holds them all
    )
