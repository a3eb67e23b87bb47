"""
## What it does

Reports barriers that order nothing: without them no thread of the block touches what another one
wrote, or writes what another one touched, that was ordered before.

## Why is this bad?

A barrier makes every warp wait for the slowest one, and keeps loads from being moved up. Where the
next barrier, or the end of the kernel, does all that is needed, or every thread works on elements
of its own, this is time for nothing.

## Example

```cuda
__shared__ float own[256];
own[threadIdx.x] = in[i];
__syncthreads();
out[i] = own[threadIdx.x] * scale;
__syncthreads();
```

## Use instead

```cuda
out[i] = in[i] * scale;
```

## Known problems

All barriers reported for a kernel can go together; a neighbour that is not reported must then stay.
Barriers of functions that kernels call are not judged, nor is anything said next to calls that were
not read, asynchronous copies, atomics, fences and volatile accesses. Pointers passed to the kernel
are taken to lead to different arrays. A barrier that keeps warps in step for the sake of the cache
is reported like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import (
    Applicability,
    Assumption,
    Edit,
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.source.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.redundant_barriers import RedundantBarrier
    from ...analyzer.analyses.facts import KernelFacts

_TOLD = 3  # barriers around it that are shown
RULE = Rule(
    code="SYN005",
    name="redundant-barrier",
    summary="a barrier that orders no access of one thread with one of another",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each barrier that can go."""
    from ...analyzer.analyses.barriers.redundant_barriers import redundant_barriers

    found = redundant_barriers(facts)
    for each in found:
        yield _finding(facts, each, len(found) - 1)


def _finding(facts: KernelFacts, found: RedundantBarrier, others: int) -> Finding:
    barrier = found.barrier
    name = "barrier" if facts.kernel.language == "ptx" else f"`{barrier.name}`"
    rechecked = "without it no race appears"
    if others:
        rechecked = f"without it and the {others} others reported here no race appears"
    assumptions = [
        Assumption(f"{one} and {other}", "different arrays", "parameters of the kernel")
        for one, other in found.kept_apart
    ]
    if found.launch is not None:
        launch = found.launch.launch
        assumptions.insert(0, assumed_block(launch))
    next_ones = sorted({each.location.span for each in found.neighbours}, key=lambda s: s.start)
    related = tuple(Related(span, "the next barrier") for span in next_ones[:_TOLD])
    return Finding(
        RULE,
        barrier.location.span,
        (Part(f"{name} orders nothing: {_reason(found)}"),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="can go",
        evidence=(
            Fact("around", found.gap.value),
            Fact("own_elements_of", list(found.arrays)),
            Fact("rechecked", others + 1, rechecked),
        ),
        assumptions=tuple(assumptions),
        related=related,
        fixes=(_fix(facts, found),),
    )


def _reason(found: RedundantBarrier) -> str:
    from ...analyzer.analyses.barriers.redundant_barriers import Gap

    if found.gap is Gap.APART:
        if found.arrays:
            names = " and ".join(found.arrays)
            return f"around it no two threads touch the same elements of {names}"
        return "before it and after it threads touch different arrays"
    side = "before" if found.gap is Gap.BEFORE else "after"
    other = "start" if found.gap is Gap.BEFORE else "end"
    lines = sorted({each.location.span.line for each in found.neighbours})
    up_to = f"the kernel's {other}"
    if len(lines) == 1:
        up_to = f"the barrier of line {lines[0]}"
    elif lines:
        up_to = f"the barriers of lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"
    return f"no memory that threads share is accessed {side} it, up to {up_to}"


def _fix(facts: KernelFacts, found: RedundantBarrier) -> Fix:
    """The barrier taken out, where that cannot change what a branch or a loop holds."""
    from ...analyzer.analyses.barriers.redundant_barriers import Gap
    from ...analyzer.source.statements import FunctionText

    title = "leave the barrier out"
    span, whole = found.barrier.location.span, facts.kernel.body_span
    own = facts.kernel.language == "cuda" and whole.covers(span)
    if not own or span.text != "__syncthreads()":
        return Fix(title)
    statements = FunctionText(span.source.text, whole.start, whole.end)
    cut = statements.cut_out(span.start, span.end)
    if cut is None:
        return Fix(title)
    safe = found.gap is not Gap.APART
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    return Fix(title, applicability, (Edit(Span(span.source, *cut), ""),))
