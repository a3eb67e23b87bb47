"""
## What it does

Finds asynchronous copies (`__pipeline_memcpy_async`, PTX `cp.async`, `cp.async.bulk`) whose source
or destination is not a multiple of what the instruction asks for, whatever the parameters are.

## Why is this bad?

`cp.async` moves 4, 8 or 16 bytes between addresses that are multiples of that, `cp.async.bulk`
between multiples of 16. Anything else stops the kernel with `misaligned address`. An odd padding
against bank conflicts is the usual cause: rows of 33 floats are not 16 bytes apart.

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

Arrays are taken to start at aligned addresses, as `cudaMalloc` and `ptxas` place them. Offsets that
contain a parameter are not judged, nor are copies in inline assembly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.accesses import (
    assumptions_of,
    object_part,
    origin_facts,
    place_of,
    related_places,
    stride_facts,
)
from .._shared.places import once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.vector_alignment import Misalignment

RULE = Rule(
    code="ASY002",
    name="async-copy-alignment",
    summary="an asynchronous copy from or to an address that is not aligned as it must be",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source."""
    from ...analyzer.analyses.memory_traffic.vector_alignment import misaligned_copies

    for found in once_each(misaligned_copies(facts), lambda found: place_of(found.address)):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: Misalignment) -> Finding:
    address = found.address
    to = address.pointer is address.access.address
    past = found.offset % found.width
    where = "" if found.block_axis is None else ", in blocks with an odd index,"
    message = (
        Part(f"lane {found.lane} copies {'to' if to else 'from'} "),
        object_part(address, "memory"),
        Part(f"{where} {past} byte{'s' * (past > 1)} past a multiple of {found.width}"),
    )
    return Finding(
        RULE,
        address.access.location.span,
        message,
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label=f"the {'destination' if to else 'source'} is no multiple of {found.width} bytes",
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
        verify="compute-sanitizer --tool memcheck (misaligned address)",
    )
