"""
## What it does

Reports arrays and variables in shared memory that are read although no thread ever writes them, or
nothing but atomic updates does, and parts of arrays that no thread of a launched block writes.

## Why is this bad?

Shared memory is not cleared: it holds what an earlier block, of any kernel, left there. Such a
kernel may give the right result for a long time. NVIDIA's compiler does not warn about it.

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

Parts of arrays are checked for launches whose block the file states, in kernels that a run of one
block shows to their end: of arrays with more elements than the block has threads, and of those that
neither sizes nor data decide to write. Where a block of the array's shape would write it all, the
launch is reported instead (LNC004). Not checked are dynamic arrays, and arrays whose address is
passed to a call whose body is not available.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block, example_numbers
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space
from .._shared.places import block_barrier, declared_here
from .._shared.races import element_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.memory import MemoryObject
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="SHM005",
    name="uninitialised-shared",
    summary="a read of shared memory that no thread writes",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-457",),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array, at the first place that reads it."""
    from ...analyzer.analyses.storage.partly_unwritten import only_updated
    from ...analyzer.analyses.storage.unwritten import unwritten_reads

    for read in unwritten_reads(facts, Space.SHARED):
        why = f"no store of the kernel can write {read.item.name}"
        text = "is read but never written: its contents are undefined"
        yield _finding(facts, read.load, read.item, text, why)
    for part in facts.unwritten_parts:
        if part.made_for is None:  # else it is the launch that is wrong
            name = element_name(part.item, part.offset, part.access.width)
            why = f"no thread of a block of {part.launch.block_text} writes {name}"
            text = f"is only partly written: {name} is read with undefined contents"
            taken = (assumed_block(part.launch), *example_numbers(part.sizes))
            finding = _finding(facts, part.access, part.item, text, why)
            yield replace(finding, assumptions=taken)
    for found in only_updated(facts):
        why = f"atomic updates of {found.item.name} begin with what was there"
        text = "is updated and read but never initialised: its contents are undefined"
        yield _finding(facts, found.access, found.item, text, why)


def _finding(
    facts: KernelFacts, access: MemoryAccess, item: MemoryObject, text: str, why: str
) -> Finding:
    return Finding(
        RULE,
        access.location.span,
        (Part(f"{item.name} {text}"),),
        facts.kernel.label,
        RULE.severity,
        label="reads uninitialised shared memory",
        evidence=(Fact("object", item.name, why),),
        related=declared_here(item),
        fixes=(Fix(f"write {item.name} first, followed by `{block_barrier(facts.kernel)}`"),),
    )
