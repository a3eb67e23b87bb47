"""
## What it does

Finds asynchronous copies (`__pipeline_memcpy_async`, PTX `cp.async`, `cp.async.bulk`) whose source
or destination is not aligned as the instruction requires, whatever the kernel parameters are, and
calls of `__pipeline_memcpy_async` for another number of bytes than 4, 8 or 16.

## Why is this bad?

`cp.async` copies 4, 8 or 16 bytes between addresses that are multiples of that size,
`cp.async.bulk` between multiples of 16. Anything else fails with `misaligned address`. The usual
cause is an odd padding against bank conflicts: rows of 33 floats do not start at multiples of 16
bytes.

## Example

```cuda
__shared__ float tile[32][33];
__pipeline_memcpy_async(&tile[threadIdx.x][0], in + 32 * threadIdx.x, 16);  // 132 bytes apart
```

## Use instead

```cuda
__shared__ float tile[32][36];
__pipeline_memcpy_async(&tile[threadIdx.x][0], in + 32 * threadIdx.x, 16);  // 144 bytes apart
```

## Known problems

Arrays are assumed to start at aligned addresses, as `cudaMalloc` and `ptxas` place them. Offsets
that contain a parameter are not checked, nor are copies in inline assembly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.source.words import plural
from .._shared.accesses import (
    assumptions_of,
    object_part,
    origin_facts,
    place_of,
    related_places,
    stride_facts,
)
from .._shared.alignment import MISALIGNED, odd_blocks, past_multiple
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.vector_alignment import Misalignment
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="ASY002",
    name="async-copy-alignment",
    summary="an asynchronous copy from or to a misaligned address",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source with a misaligned asynchronous copy."""
    from ...analyzer.analyses.memory_traffic.vector_alignment import misaligned_copies, odd_copies

    for access, count in odd_copies(facts):
        yield _odd(facts, access, count)
    for found in once_each(misaligned_copies(facts), lambda found: place_of(found.address)):
        yield _finding(facts, found)


def _odd(facts: KernelFacts, access: MemoryAccess, count: int) -> Finding:
    text = f"asynchronous copy of {plural(count, 'byte')}: only 4, 8 or 16 can be copied"
    return Finding(
        RULE,
        access.location.span,
        (Part(text),),
        facts.kernel.label,
        RULE.severity,
        label="the kernel is aborted here",
        evidence=(Fact("copied_bytes", count),),
        related=tuple(call_sites(access.location)),
        fixes=(Fix("copy it in pieces of 4, 8 or 16 bytes"),),
        verify=MISALIGNED,
    )


def _finding(facts: KernelFacts, found: Misalignment) -> Finding:
    address = found.address
    to = address.pointer is address.access.address
    message = (
        Part(f"lane {found.lane} copies {'to' if to else 'from'} "),
        object_part(address, "memory"),
        Part(f"{odd_blocks(found)} at {past_multiple(found)}: misaligned"),
    )
    return Finding(
        RULE,
        address.access.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"{'destination' if to else 'source'} not aligned to {found.width} bytes",
        evidence=(
            Fact("width_bytes", found.width),
            Fact("lane", found.lane),
            Fact("offset_bytes", found.offset),
            *stride_facts(address.value.lanes),
            *origin_facts(address),
        ),
        assumptions=tuple(assumptions_of(address)),
        related=related_places(address),
        fixes=(Fix(f"pad rows to a multiple of {found.width} bytes, or copy fewer bytes at once"),),
        verify=MISALIGNED,
    )
