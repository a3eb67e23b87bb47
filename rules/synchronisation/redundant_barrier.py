"""
## What it does

Reports barriers that are unnecessary: without them, every pair of conflicting accesses by different
threads of the block is still ordered.

## Why is this bad?

A barrier makes every warp wait for the slowest one, and keeps the compiler from moving loads up.
Where the next barrier or the end of the kernel already orders the accesses, or every thread works
on its own elements, that time is wasted.

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

All barriers reported for a kernel can be removed together; a neighbouring barrier that is not
reported must then stay. Barriers in device functions are not checked, nor are barriers next to
calls whose body is not available, asynchronous copies, atomics, fences and volatile accesses.
Kernel parameters are assumed not to alias. A barrier that only keeps warps close together for the
sake of the cache is reported like any other. Where each thread
accesses shared elements of its own around it, the finding is a note.
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
from ...analyzer.findings.rule import Category, Joins, Rule, Tag
from ...analyzer.source.text import Span
from ...analyzer.source.words import listed, plural
from .._shared.places import on_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.redundant_barriers import RedundantBarrier
    from ...analyzer.analyses.facts import KernelFacts

_TOLD = 3  # barriers around it that are shown
RULE = Rule(
    code="SYN005",
    name="redundant-barrier",
    summary="a barrier that no two threads need to order their accesses",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    joins=Joins.FILE,
    tag=Tag.UNNECESSARY,
    notes_stand_out=True,
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each barrier that can be removed."""
    found = facts.redundant_barriers
    for each in found:
        yield _finding(facts, each, len(found) - 1)


def _finding(facts: KernelFacts, found: RedundantBarrier, others: int) -> Finding:
    from ...analyzer.analyses.barriers.redundant_barriers import Gap

    barrier = found.barrier
    name = "barrier" if facts.kernel.language == "ptx" else f"`{barrier.name}`"
    rechecked = "removing it introduces no race"
    if others:
        rechecked = f"removing it, and the {plural(others, 'other')} reported here, "
        rechecked += "introduces no race"
    assumptions = [_no_alias(f"{one} and {other}") for one, other in found.kept_apart]
    if found.launch is not None:
        launch = found.launch.launch
        assumptions.insert(0, assumed_block(launch))
    next_ones = sorted({each.location.span for each in found.neighbours}, key=lambda s: s.start)
    related = tuple(Related(span, "the nearest barrier") for span in next_ones[:_TOLD])
    return Finding(
        RULE,
        barrier.location.span,
        (Part(f"{name} is unnecessary: {_reason(found)}"),),
        facts.kernel.label,
        Severity.NOTE if found.gap is Gap.APART else RULE.severity,
        label="can be removed",
        evidence=(
            Fact("around", found.gap.value),
            Fact("own_elements_of", list(found.arrays)),
            Fact("rechecked", others + 1, rechecked),
        ),
        assumptions=tuple(assumptions),
        related=related,
        fixes=(_fix(facts, found),),
    )


def _no_alias(names: str) -> Assumption:
    return Assumption(names, "do not alias", "kernel parameters", f"{names} do not alias")


def _reason(found: RedundantBarrier) -> str:
    from ...analyzer.analyses.barriers.redundant_barriers import Gap

    if found.gap is Gap.APART:
        if found.arrays:
            return f"no two threads share elements of {listed(found.arrays)} across it"
        return "the accesses before it and after it touch different arrays"
    spans = {each.location.span for each in found.neighbours}
    nearest = "the start of the kernel" if found.gap is Gap.BEFORE else "the end of the kernel"
    if spans:
        word = "barrier" if len({(span.path, span.line) for span in spans}) == 1 else "barriers"
        nearest = f"the {word} {on_lines(spans, found.barrier.location.span.path)}"
    return f"nothing that threads share is accessed between it and {nearest}"


def _fix(facts: KernelFacts, found: RedundantBarrier) -> Fix:
    """The barrier removed, where that cannot change what a branch or a loop holds."""
    from ...analyzer.analyses.barriers.redundant_barriers import Gap
    from ...analyzer.source.statements import FunctionText

    title = "remove the barrier"
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
