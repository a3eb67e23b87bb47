"""
## What it does

Reports arrays and variables in shared memory that are read though no thread ever stores anything in
them.

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

Arrays of which only a part is written are not looked at, nor those whose size the launch gives, and
those whose address goes to a call that was not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.storage.unwritten import UnwrittenRead

RULE = Rule(
    code="SHM005",
    name="uninitialised-shared",
    summary="shared memory is read that no thread writes",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-457",),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array, at the first place that reads it."""
    from ...analyzer.analyses.storage.unwritten import unwritten_reads

    for read in unwritten_reads(facts, Space.SHARED):
        yield _finding(facts, read)


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
