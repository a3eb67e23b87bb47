"""
## What it does

Reports arrays and variables in shared memory that are read though no thread ever stores anything in
them, and single elements that a thread reads and no thread of its block writes, such as a halo that
nobody loads.

## Why is this bad?

Shared memory is not cleared: it holds what the block before left there, of whatever kernel. Such a
kernel may give the right answer for a long time. NVIDIA's compiler does not mention it.

## Example

```cuda
__shared__ float tile[256];
out[i] = tile[threadIdx.x];
```

## Use instead

```cuda
__shared__ float tile[256];
tile[threadIdx.x] = in[i];
__syncthreads();
out[i] = tile[threadIdx.x];
```

## Known problems

Of an array that is written in part, elements are told only where the launch is known, the first
block of the grid shows it, and the value goes to global memory by arithmetic alone. Arrays whose
size the launch gives are not looked at, nor those whose address goes to a call that was not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.races import element_name, thread_at
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.unfilled_shared import Unfilled
    from ...analyzer.analyses.unwritten import UnwrittenRead

RULE = Rule(
    code="SHM005",
    name="uninitialised-shared",
    summary="shared memory is read that no thread writes",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-457",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array, at the first place that reads it."""
    from ...analyzer.analyses.unfilled_shared import unfilled_reads
    from ...analyzer.analyses.unwritten import unwritten_reads

    for read in unwritten_reads(facts, Space.SHARED):
        yield _finding(facts, read)
    for element in unfilled_reads(facts):
        yield _element(facts, element)


def _element(facts: KernelFacts, found: Unfilled) -> Finding:
    thread = thread_at(found.launch.block, found.thread)
    name = element_name(found.item, found.offset)
    what = f"thread ({', '.join(map(str, thread))}) reads {name}"
    declared = [Related(found.item.span, "declared here")] if found.item.span else []
    used = Related(found.store.location.span, "what it makes of it is stored here")
    return Finding(
        RULE,
        found.load.location.span,
        (Part(f"{what}, which no thread of the block writes"),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="whatever was there before",
        evidence=(
            Fact("object", found.item.name, "no store of the block leads to this element"),
            Fact("offset", found.offset),
            Fact("thread", list(thread)),
        ),
        assumptions=(assumed_block(found.launch),),
        related=(used, *declared),
        fixes=(Fix(f"let a thread write {name} before the barrier"),),
        verify="compute-sanitizer --tool initcheck",
    )


def _finding(facts: KernelFacts, read: UnwrittenRead) -> Finding:
    item = read.item
    return Finding(
        RULE,
        read.load.location.span,
        (Part(f"{item.name} is read, and no thread ever stores anything in it"),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="whatever was there before",
        evidence=(Fact("object", item.name, "no store of the kernel leads to it"),),
        related=() if item.span is None else (Related(item.span, "declared here"),),
        fixes=(Fix(f"write {item.name} first, and put a barrier behind"),),
        verify="compute-sanitizer --tool initcheck",
    )
