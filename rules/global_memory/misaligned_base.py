"""
## What it does

Finds arrays that warps walk over side by side, but shifted: every access begins a constant number
of bytes behind a multiple of 32, and no other access to the array is aligned.

## Why is this bad?

Global memory is moved in sectors of 32 bytes. 32 floats that begin in the middle of a sector touch
5 sectors instead of 4: a quarter more traffic for nothing, in every access.

Nsight Compute's source page shows it as `derived__memory_l2_theoretical_sectors_global_excessive`.

## Example

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
out[i] = in[i + 1];                     // behind a header of one float
```

## Use instead

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
out[i] = in[i + 8];                     // behind a header of 32 bytes
```

## Known problems

Off unless selected: the shift is often what the algorithm asks for, `in[i - 1]`, and cannot be
mended. Pointers are taken to be aligned as `cudaMalloc` aligns them. L1 and L2 often keep the
sector that two warps share: the request costs more, the traffic to memory does not. Stencils, which
access an array at several distances, are not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.hardware.sectors import SECTOR_BYTES, global_sectors
from .._shared.accesses import (
    assumptions_of,
    object_part,
    origin_facts,
    place_of,
    related_places,
)
from .._shared.places import once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.warp_evaluation.lane_addresses import LaneAddress

RULE = Rule(
    code="GLB003",
    name="misaligned-base",
    summary="all accesses to an array begin in the middle of a sector",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    default=False,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each object, at its first access."""
    from ...analyzer.analyses.memory_traffic.shifted_rows import shifted_rows

    for address in once_each(shifted_rows(facts), lambda address: place_of(address)):
        yield _finding(facts, address)


def _finding(facts: KernelFacts, address: LaneAddress) -> Finding:
    operation = address.access
    use = global_sectors(address.value.lanes, operation.width or 1)
    shift = address.value.lanes[0] % SECTOR_BYTES
    message = (
        Part("every access to "),
        object_part(address, "global memory"),
        Part(f" begins {shift} bytes behind a multiple of {SECTOR_BYTES}: "),
        Part(f"{use.sectors} sectors where {use.ideal} would do"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label=f"{use.sectors} sectors, ideal {use.ideal}",
        evidence=(
            Fact("shift_bytes", shift),
            Fact("sectors", use.sectors),
            Fact("ideal_sectors", use.ideal),
            *origin_facts(address),
        ),
        assumptions=tuple(assumptions_of(address)),
        related=related_places(address),
        fixes=(Fix(f"let the array begin at a multiple of {SECTOR_BYTES} bytes"),),
        verify=(
            "ncu --section SourceCounters, columns memory_l2_theoretical_sectors_global and "
            "memory_l2_theoretical_sectors_global_ideal"
        ),
    )
