"""
## What it does

Finds arrays that warps access coalesced but shifted: every access starts a constant number of bytes
past a multiple of 32, and no other access to the array is aligned.

## Why is this bad?

Global memory is accessed in sectors of 32 bytes. 32 floats that start in the middle of a sector
touch 5 sectors instead of 4: a quarter more traffic in every request.

Nsight Compute's source page shows it as `derived__memory_l2_theoretical_sectors_global_excessive`.

## Example

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
out[i] = in[i + 1];                     // after a header of one float
```

## Use instead

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
out[i] = in[i + 8];                     // after a header of 32 bytes
```

## Known problems

Off unless selected: the algorithm often needs the shift, as in `in[i - 1]`, and it cannot be fixed.
Pointers are assumed to be aligned as `cudaMalloc` aligns them. L1 and L2 often keep the sector that
two warps share: the request costs more, the traffic to memory does not. Stencils, which access an
array at several offsets, are not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from ...analyzer.hardware.sectors import SECTOR_BYTES, global_sectors
from ...analyzer.source.words import plural
from .._shared.accesses import (
    array_of,
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
    summary="all accesses to an array start in the middle of a sector",
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
        Part(f" starts {plural(shift, 'byte')} past a {SECTOR_BYTES}-byte boundary: "),
        Part(f"{use.sectors} sectors per request instead of {use.ideal}"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
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
        array=array_of(address),
        fixes=(Fix(f"start the array at a multiple of {SECTOR_BYTES} bytes"),),
        verify=source_counters(
            "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"
        ),
    )
