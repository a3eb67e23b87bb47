"""
## What it does

Finds accesses to global memory whose stride between lanes is a parameter,
`in[threadIdx.x * pitch + k]`, and that touch at least twice the ideal number of sectors for every
value of the parameter from 8 on. The kernel itself must show that the parameter is the length of a
row: another index runs along the row, or an index is compared with the parameter. `x[i * incx]`
alone, where `incx` may well be 1, is only `possible`; so is an access outside all loops in a kernel
whose loops do the work.

## Why is this bad?

Global memory is accessed in sectors of 32 bytes. Lanes that are a row apart share none: 32 floats
take 32 sectors instead of 4, and 28 of every 32 bytes are transferred for nothing.

Nsight Compute's source page shows it as `memory_l2_theoretical_sectors_global` against its
`_ideal`, and as `derived__memory_l2_theoretical_sectors_global_excessive`.

## Example

```cuda
int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
out[row * width + column] = 0.0f;            // lanes are `width` floats apart
```

## Use instead

```cuda
int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
out[row * width + column] = 0.0f;            // lanes are neighbours
```

## Known problems

Caches are not modelled. Where later iterations of a loop or neighbouring accesses run along the
row, L1 often keeps the sectors until they are used: the finding is then a note, and only possible
where looking up their lines one by one takes less than a fifth of the kernel's time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import (
    Assumption,
    Fact,
    Finding,
    Fix,
    Part,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from ...analyzer.hardware.sectors import SECTOR_BYTES, global_sectors
from ...analyzer.hardware.throughput import Resource
from .._shared.accesses import (
    array_of,
    assumptions_of,
    direction_of,
    object_part,
    origin_facts,
    related_places,
)
from .._shared.doubts import doubts_about
from .._shared.gains import MUCH, access_gain, severity_if_launched, stated

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.symbolic_stride import SymbolicStride
    from ...analyzer.hardware.sectors import SectorUse
    from ...analyzer.source.text import Span

RULE = Rule(
    code="GLB002",
    name="uncoalesced-symbolic-stride",
    summary="the stride between lanes is a parameter, and no usual value of it coalesces",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    judged=("row-stride", "sectors"),
)

THRESHOLD = 2.0  # sectors per ideal sector
FEW_LANES = 8  # a quarter of a warp: below it there is little to coalesce
WELL_USED = 16  # bytes per sector from which on it is near enough
SHORTEST_ROW = 8  # elements, and no less than a sector
_ROWS = (8, 9, 10, 12, 16, 17, 31, 32, 33, 64, 100, 127, 128, 1000, 1024)
_VERIFY = source_counters(
    "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each object, direction and stride: the deepest in loops of its accesses."""
    from ...analyzer.analyses.memory_traffic.sector_reuse import ITERATIONS
    from ...analyzer.analyses.memory_traffic.symbolic_stride import symbolic_strides
    from ...analyzer.ir.memory import Space

    groups: dict[tuple[Hashable, Hashable], list[tuple[SymbolicStride, SectorUse]]] = {}
    rows_of: dict[Hashable, list[SymbolicStride]] = {}  # loads and stores together
    for stride in symbolic_strides(facts, Space.GLOBAL):
        use = _least(facts, stride)
        if use is not None:
            access = stride.address.access
            row: Hashable = (stride.address.object or access, stride.names)
            rows_of.setdefault(row, []).append(stride)
            groups.setdefault((row, access.kind), []).append((stride, use))
    reuses = {item: _reuse(facts, strides) for item, strides in rows_of.items()}
    walks = [g for (row, _), g in groups.items() if reuses[row] == ITERATIONS]
    walking = access_gain(facts, *[_deepest(facts, group).address for group in walks])
    small = walking is not None and walking.time < MUCH  # what a warp for each row saves
    for (walked, _), group in groups.items():
        yield _judged(facts, group, reuses[walked], small=small)


def _least(facts: KernelFacts, stride: SymbolicStride) -> SectorUse | None:
    """What the best of the usual strides moves; None when that is near the ideal, none of them
    comes to the access, or the kernel counts with rows of a few elements.
    """
    from ...analyzer.analyses.memory_traffic.symbolic_stride import compared_numbers

    access = stride.address.access
    if sum(stride.address.mask) < FEW_LANES:
        return None
    if any(1 < number < SHORTEST_ROW for number in compared_numbers(facts, stride)):
        return None
    width = access.width or 0
    shortest = _shortest(width)
    rows = [each for each in _ROWS if each >= shortest and stride.fits(facts.flow, each)]
    uses = [global_sectors(stride.offsets(number), width) for number in rows]
    least = min(uses, key=lambda use: use.ratio, default=None)
    if least is None:
        return None
    near = least.ratio < THRESHOLD or least.bytes_per_sector >= WELL_USED
    return None if near else least


def _deepest(facts: KernelFacts, group: list[tuple[SymbolicStride, SectorUse]]) -> SymbolicStride:
    """The access of a group that the most loops are around, the first of several."""
    from ...analyzer.analyses.memory_traffic.access_weight import loop_depth

    return max(group, key=lambda each: loop_depth(facts, each[0].address.access))[0]


def _judged(
    facts: KernelFacts,
    group: list[tuple[SymbolicStride, SectorUse]],
    reuse: str,
    *,
    small: bool,
) -> Finding:
    """What is to be said of accesses that differ by no more than where in the row they are; `small`
    says that walks along rows cost the kernel little.
    """
    from ...analyzer.analyses.doubts.costs.candidates import StrideCandidate
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_ROWS, OF_SECTORS
    from ...analyzer.analyses.memory_traffic.access_weight import is_done_once
    from ...analyzer.analyses.memory_traffic.sector_reuse import ITERATIONS, Reuse

    strides = tuple(stride for stride, _ in group)
    deepest = _deepest(facts, group)
    use = next(use for stride, use in group if stride is deepest)
    once = all(is_done_once(facts, each.address.access) for each in strides)
    finding = _finding(facts, deepest, use)
    doubts = doubts_about(facts, OF_ROWS, StrideCandidate(facts, strides))
    by = Resource.WAVEFRONTS if reuse == ITERATIONS else None
    gain = access_gain(facts, deepest.address, by=by)
    if reuse == ITERATIONS and small:
        doubts = doubts or doubts_about(facts, OF_SECTORS, Reuse(SECTOR_BYTES, reuse))
    return replace(
        finding,
        cause=facts.kernel.span if reuse == ITERATIONS else finding.cause,  # rows side by side
        gain=stated(gain),
        severity=Severity.NOTE if reuse or once else severity_if_launched(RULE.severity, gain),
        evidence=(*finding.evidence, *_weight(reuse, once, len(group))),
        doubts=doubts,
    )


def _reuse(facts: KernelFacts, group: list[SymbolicStride]) -> str:
    """What uses the rest of the sectors, loads or stores, if L1 keeps them."""
    from ...analyzer.analyses.memory_traffic.access_weight import step_along
    from ...analyzer.analyses.memory_traffic.sector_reuse import ITERATIONS, NEIGHBOURS

    for stride in group:
        address = stride.address
        step = step_along(facts, address.access, address.value)
        if step is not None and step < SECTOR_BYTES:
            return ITERATIONS
    width = group[0].address.access.width or 0
    columns = {stride.address.value.lanes[0] for stride in group}
    together = len(columns) > 1 and len(columns) * width >= WELL_USED
    return NEIGHBOURS if together else ""


def _finding(facts: KernelFacts, stride: SymbolicStride, use: SectorUse) -> Finding:
    address = stride.address
    operation = address.access
    message = (
        Part(f"a warp's {direction_of(address)} "),
        object_part(address, "global memory"),
        Part(f" is uncoalesced: {use.sectors} sectors per request instead of {use.ideal}, "),
        Part(f"as neighbouring lanes are {stride.step} bytes apart"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"{use.sectors} sectors, ideal {use.ideal}",
        evidence=tuple(_evidence(stride, use)),
        assumptions=(
            *assumptions_of(address),
            *(_unknown_row(name, operation.width or 0) for name in stride.names),
        ),
        related=related_places(address),
        array=array_of(address),
        cause=_declared(facts, stride),
        layout=f"rows of {' * '.join(stride.names)}",
        fixes=(
            Fix(
                "index the contiguous dimension with `threadIdx.x`, or stage a tile through "
                "shared memory with coalesced accesses"
            ),
        ),
        verify=_VERIFY,
    )


def _declared(facts: KernelFacts, stride: SymbolicStride) -> Span | None:
    """The parameter that is the length of the row: all arrays with such rows have one layout."""
    named = (each.span for each in facts.kernel.parameters if each.name == stride.names[0])
    return next(named, None)


def _unknown_row(name: str, width: int) -> Assumption:
    least = f">= {_shortest(width)}"
    return Assumption(name, least, "unknown", f"{name} {least} (unknown)")


def _shortest(width: int) -> int:
    """The elements of the shortest row that is usual: images of bytes have no rows of eight."""
    return max(SHORTEST_ROW, SECTOR_BYTES // width) if width else SHORTEST_ROW


def _evidence(stride: SymbolicStride, use: SectorUse) -> Iterator[Fact]:
    yield Fact("sector_ratio", round(use.ratio, 3))
    yield Fact("sectors", use.sectors)
    yield Fact("ideal_sectors", use.ideal)
    used = use.bytes_per_sector
    text = f"{used:.3g} of the {SECTOR_BYTES} bytes per sector are used"
    yield Fact("bytes_per_sector", round(used, 2), text)
    yield Fact("stride", stride.step)
    yield Fact("stride_symbols", list(stride.names))
    yield from origin_facts(stride.address)


def _weight(reuse: str, once: bool, count: int) -> Iterator[Fact]:
    if reuse:
        yield Fact("reuse", reuse, f"with L1 hits, {reuse} use the rest of each sector")
    if once:
        yield Fact("weight", "once", "executed once, unlike accesses in loops of this kernel")
    if count > 1:
        yield Fact("accesses", count, f"{count} accesses have this stride")
