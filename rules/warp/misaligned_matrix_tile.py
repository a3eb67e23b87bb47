"""
## What it does

Finds tiles of matrices (`wmma::load_matrix_sync`, `wmma::store_matrix_sync`, PTX `wmma.load`,
`wmma.store`) that start at an address that is no multiple of 32 bytes, or whose leading dimension
is no multiple of 16 bytes.

## Why is this bad?

"mptr must be a 256-bit aligned pointer"; the leading dimension "must be a multiple of 8 for
`__half` element type or multiple of 4 for `float` element type" (CUDA C++ Programming Guide, "Warp
Matrix Functions"). Otherwise the hardware loads rows from rounded addresses or stops with
`misaligned address`. The usual cause is a padding against bank conflicts that is too small, such as
4 halves.

## Example

```cuda
__shared__ half tile[16 * 20];
wmma::load_matrix_sync(a, tile, 20);  // rows are 40 bytes apart
```

## Use instead

```cuda
__shared__ __align__(32) half tile[16 * 24];
wmma::load_matrix_sync(a, tile, 24);  // rows are 48 bytes apart
```

## Known problems

Arrays are assumed to start at aligned addresses, although a shared array without `__align__(32)`
may start at any multiple of its element. Only constant leading dimensions and fragments of a known
shape are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.accesses import assumptions_of, object_part, origin_facts, related_places
from .._shared.alignment import MISALIGNED, odd_blocks, past_multiple
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.vector_alignment import Misalignment
    from ...analyzer.ir.tiles import TileAccess
    from ...analyzer.source.text import Span

RULE = Rule(
    code="WRP006",
    name="misaligned-matrix-tile",
    summary="a matrix tile whose start or leading dimension is not aligned",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each matrix tile whose start or leading dimension is not aligned."""
    from ...analyzer.analyses.memory_traffic.vector_alignment import misaligned_tiles
    from ...analyzer.ir.tiles import TileAccess

    def place(found: Misalignment | TileAccess) -> Span:
        access = found if isinstance(found, TileAccess) else found.address.access
        return access.location.span

    for found in once_each(misaligned_tiles(facts), place):
        if isinstance(found, TileAccess):
            yield _of_pitch(facts, found)
        else:
            yield _of_start(facts, found)


def _of_pitch(facts: KernelFacts, access: TileAccess) -> Finding:
    pitch = access.lines.pitch
    return Finding(
        RULE,
        access.location.span,
        (Part(f"the lines of this tile are {pitch} bytes apart, which is no multiple of 16"),),
        facts.kernel.label,
        RULE.severity,
        label="leading dimension not aligned to 16 bytes",
        evidence=(Fact("pitch_bytes", pitch),),
        related=call_sites(access.location),
        fixes=(Fix("pad the lines to a multiple of 16 bytes"),),
        verify=MISALIGNED,
    )


def _of_start(facts: KernelFacts, found: Misalignment) -> Finding:
    address = found.address
    message = (
        Part("this tile of "),
        object_part(address, "memory"),
        Part(f" starts{odd_blocks(found)} {past_multiple(found)}"),
    )
    return Finding(
        RULE,
        address.access.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"start not aligned to {found.width} bytes",
        evidence=(Fact("offset_bytes", found.offset), *origin_facts(address)),
        assumptions=tuple(assumptions_of(address)),
        related=related_places(address),
        fixes=(Fix(f"start tiles at multiples of {found.width} bytes"),),
        verify=MISALIGNED,
    )
