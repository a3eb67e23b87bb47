"""
## What it does

Finds loads, stores and atomics of 2 to 16 bytes whose address is not a multiple of their width in
some lane, whatever the values of the kernel parameters: a `float4` read at `a + 1`, PTX
`ld.v4.f32 [p+4]`, a `float` inside of a `char` array at an odd offset.

## Why is this bad?

The hardware accesses 2, 4, 8 and 16 bytes only at addresses that are multiples of that width.
Anything else fails with `misaligned address`, and so does every CUDA call after it. Neither `nvcc`
nor `ptxas` warns about it.

## Example

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
float4 v = *reinterpret_cast<const float4*>(in + i);      // lane 1 is 4 bytes from lane 0
```

## Use instead

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
float4 v = *reinterpret_cast<const float4*>(in + 4 * i);  // 16 bytes from lane to lane
```

## Known problems

Arrays are assumed to start at aligned addresses, as `cudaMalloc` and `ptxas` place them; for a
pointer into the middle of an array this rule may be wrong either way. Offsets that contain a
parameter (`row * pitch`) are not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import aligned_pointer, several_blocks
from ...analyzer.findings.finding import Assumption, Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.accesses import (
    assumptions_of,
    direction_of,
    object_part,
    origin_facts,
    place_of,
    related_places,
    stride_facts,
)
from .._shared.alignment import MISALIGNED, odd_blocks, past_multiple
from .._shared.places import object_name, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.vector_alignment import Misalignment

RULE = Rule(
    code="GLB005",
    name="misaligned-vector-access",
    summary="an access at an address that is not aligned to its width",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place with an access that is not aligned to its width."""
    from ...analyzer.analyses.memory_traffic.vector_alignment import misaligned_accesses

    for found in once_each(misaligned_accesses(facts), lambda found: place_of(found.address)):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: Misalignment) -> Finding:
    address = found.address
    operation, width = address.access, found.width
    message = (
        Part(f"lane {found.lane}'s {width}-byte {direction_of(address)} "),
        object_part(address, "memory"),
        Part(f"{odd_blocks(found)} is {past_multiple(found)}: misaligned address"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"not a multiple of {width} bytes",
        evidence=tuple(_evidence(found)),
        assumptions=(*assumptions_of(address), *_placement(found)),
        related=related_places(address),
        fixes=(Fix(f"start at a multiple of {width} bytes, or access the elements one by one"),),
        verify=MISALIGNED,
    )


def _evidence(found: Misalignment) -> Iterator[Fact]:
    address = found.address
    yield Fact("width_bytes", found.width)
    yield Fact("lane", found.lane)
    yield Fact("warp", address.warp)
    yield Fact("offset_bytes", found.offset)
    if found.block_axis is not None:
        yield Fact("block_axis", "xyz"[found.block_axis])
    yield from stride_facts(address.value.lanes)
    yield from origin_facts(address)


def _placement(found: Misalignment) -> Iterator[Assumption]:
    address = found.address
    if address.object is not None:
        yield aligned_pointer(object_name(address.object), found.width)
    if found.block_axis is not None and address.launch.grid[found.block_axis] is None:
        yield several_blocks()
