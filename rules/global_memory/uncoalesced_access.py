"""
## What it does

Computes, for every load, store and atomic on global memory whose addresses depend only on
`threadIdx` and constants, how many 32-byte sectors a request of one warp touches, and reports
accesses that touch at least twice as many as a coalesced access to the same number of bytes. The
numbers are those of Nsight Compute's source page (sectors and ideal sectors).

## Why is this bad?

Global memory is accessed in sectors of 32 bytes. When neighbouring lanes access neighbouring
elements, the access is coalesced: a warp's 32 floats fill 4 sectors. When lanes are 128 bytes
apart, the same 32 floats take 32 sectors, and 28 of every 32 bytes are transferred for nothing:
only an eighth of the bandwidth is used.

## Example

```cuda
int row = blockIdx.x * blockDim.x + threadIdx.x;
for (int column = 0; column < 64; column += 4)
    sum += in[row * 64 + column];             // lanes are 256 bytes apart
```

## Use instead

```cuda
int column = blockIdx.x * blockDim.x + threadIdx.x;
for (int row = 0; row < 64; ++row)
    sum += in[row * width + column];          // lanes are 4 bytes apart
```

## Known problems

Caches are not modelled. When neighbouring accesses or later iterations of a loop use the rest of
the sectors, L1 often hides the cost: the finding is then a note, and where they use all of each
sector, it is only possible, and not reported unless `--show-possible` is given. It is also a note
where no launch is stated, and where less than 70 % of the kernel's time is to be gained, by a rough
estimate. Lanes that walk along rows of their own, at least 512 bytes apart, get a warning where all
such walks of a kernel take a fifth of its time: L1 looks up their lines one by one. On an H200, a
warp for each row saved 54 to 99 % of a sum's and a softmax's time. A part of each structure, or of
a row of a few elements, is only possible where less than a quarter of the kernel's time is to be
gained, or less than half and such structures are used whole elsewhere in the file. Pointers are
assumed to be aligned as `cudaMalloc` aligns them. Strides that are parameters are checked only when
a launch in the file passes a constant.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import (
    Applicability,
    Fact,
    Finding,
    Fix,
    Part,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from ...analyzer.hardware.throughput import Resource
from ...analyzer.ir.memory import Space
from ...analyzer.ir.types import Kind
from .._shared.accesses import (
    array_of,
    assumptions_of,
    direction_of,
    object_part,
    origin_facts,
    place_of,
    related_places,
    stride_facts,
)
from .._shared.doubts import doubts_about
from .._shared.gains import (
    LITTLE,
    MOST,
    MUCH,
    access_gain,
    severity_if_launched,
    stated,
    swap_gain,
)
from .._shared.vectors import vector_type

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.global_accesses import GlobalAccess
    from ...analyzer.analyses.memory_traffic.sector_reuse import Reuse
    from ...analyzer.findings.finding import StatedDoubt
    from ...analyzer.findings.gain import Gain

RULE = Rule(
    code="GLB001",
    name="uncoalesced-access",
    summary="a warp's access to global memory touches many more sectors than it needs",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    judged=("sectors", "layout", "tail"),
)

THRESHOLD = 2.0  # sectors per ideal sector
FEW_LANES = 8  # a quarter of a warp: below it there is little to coalesce
_VECTOR = 16  # bytes of the largest vector
_LINE = 128  # bytes of a line of L1
_LONG = 512  # bytes of a row: a warp for each was 39 % faster at 256, 67 to 97 % at 1,024
_MANY = 16  # lanes with rows of their own
WELL_USED = 16.0  # bytes per sector, neighbours included, from which on it is only a note
_VERIFY = source_counters(
    "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place with uncoalesced accesses to global memory, the worst of them."""
    from ...analyzer.analyses.doubts.costs.candidates import TailCandidate
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_TAILS
    from ...analyzer.analyses.memory_traffic.sector_reuse import MERGED, NEIGHBOURS, SectorReuse

    threshold = facts.options.thresholds.get(RULE.code, THRESHOLD)
    places: dict[Hashable, GlobalAccess] = {}
    tails: dict[Hashable, tuple[GlobalAccess, tuple[StatedDoubt, ...]]] = {}
    for access in facts.global_accesses:
        if access.reason or access.ratio < threshold or access.worst.active < FEW_LANES:
            continue
        if access.picked:
            continue  # a row or a column of the grid, or one thread of it
        if _side_by_side(access):
            continue  # lanes that are switched off leave holes: divergence, not the address
        place = place_of(access)
        tail = doubts_about(facts, OF_TAILS, TailCandidate(facts, access))
        if tail:
            tails.setdefault(place, (access, tail))
            continue
        if place not in places or places[place].ratio < access.ratio:
            places[place] = access
    uses = SectorReuse(facts)
    for access, tail in tails.values():
        yield replace(_finding(facts, access, uses.of(access), [access]), doubts=tail)
    groups: dict[Hashable, list[tuple[GlobalAccess, Reuse]]] = {}
    for access in places.values():
        reuse = uses.of(access)
        # Members of a structure are reported once; what is merged is no access of its own.
        together = (access.object, access.access.block, access.access.kind)
        if reuse.by != MERGED:
            groups.setdefault(together, []).append((access, reuse))
    walks = _walks(facts, [pair for group in groups.values() for pair in group])
    swapped: set[Hashable] = set()  # launches of which a finding has what swapping x and y gains
    for group in groups.values():
        members = [access for access, reuse in group if reuse.by == NEIGHBOURS]
        for place, (access, reuse) in enumerate(group):
            if place and reuse.by == NEIGHBOURS:
                continue
            mended = members if reuse.by == NEIGHBOURS else [access]
            if _rows_are_columns(access):
                mended = [] if access.launch in swapped else [access]
                swapped.add(access.launch)
            yield _finding(facts, access, reuse, mended, walks=walks.get(place_of(access)))


def _side_by_side(access: GlobalAccess) -> bool:
    """Whether the active lanes stand where they would in a coalesced access."""
    width = access.width
    active = [(lane, at) for lane, at in enumerate(access.worst.offsets) if at is not None]
    return all(
        abs(second - first) == (right - left) * width
        for (left, first), (right, second) in pairwise(active)
    )


def _finding(
    facts: KernelFacts,
    access: GlobalAccess,
    reuse: Reuse,
    mended: list[GlobalAccess],
    walks: Gain | None = None,
) -> Finding:
    """`mended` are the accesses that its fix makes coalesced, none where another finding says what
    that saves; `walks` what a warp for each row saves, where lanes walk along rows of their own.
    """
    operation, use = access.access, access.worst.use
    by = None if walks is None else Resource.WAVEFRONTS
    gain = told = access_gain(facts, *(mended or [access]), by=by)
    swap = swap_gain(facts, access) if _rows_are_columns(access) else None
    swaps = swap is not None and (gain is None or swap.when_large >= min(LITTLE, gain.when_large))
    if swaps and walks is None:
        gain, told = swap, swap if mended else None  # once, for all arrays together
    elif swap is not None and not swaps:
        swaps = _uses_shared_memory(facts)  # where x and y change places for one access alone
    message = (
        Part(f"a warp's {direction_of(access)} "),
        object_part(access, "global memory"),
        Part(f" is uncoalesced: {use.sectors} sectors per request instead of {use.ideal}"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        _severity(reuse, gain, walks),
        label=f"{use.sectors} sectors, ideal {use.ideal}",
        evidence=tuple(_evidence(access, reuse, walks=walks is not None)),
        assumptions=tuple(assumptions_of(access)),
        related=related_places(access),
        array=array_of(access),
        cause=None if walks is None else facts.kernel.span,  # a warp for each row mends all
        gain=stated(told),
        doubts=() if walks is not None else _doubts(facts, access, reuse, gain),
        fixes=(_fix(access, reuse, walks=walks is not None, swaps=swaps),),
        verify=_VERIFY,
    )


def _doubts(
    facts: KernelFacts, access: GlobalAccess, reuse: Reuse, gain: Gain | None
) -> tuple[StatedDoubt, ...]:
    from ...analyzer.analyses.doubts.costs.candidates import LayoutCandidate
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_LAYOUTS, OF_SECTORS
    from ...analyzer.analyses.memory_traffic.sector_reuse import ITERATIONS

    used = doubts_about(facts, OF_SECTORS, reuse) if reuse.by else ()
    if used or reuse.by == ITERATIONS:
        return used
    saved = gain.when_large if gain is not None else 0.0
    return doubts_about(facts, OF_LAYOUTS, LayoutCandidate(facts, access, saved))


def _walks(facts: KernelFacts, accesses: list[tuple[GlobalAccess, Reuse]]) -> dict[Hashable, Gain]:
    """The places where each lane walks along a row of its own, if the lines of L1 that are looked
    up for them one after the other are what the kernel spends its time with: what a warp for each
    row saves in all of them.
    """
    from ...analyzer.analyses.memory_traffic.sector_reuse import ITERATIONS

    found = [each for each, reuse in accesses if reuse.by == ITERATIONS and _has_long_rows(each)]
    gain = access_gain(facts, *found)
    if gain is None or gain.time < MUCH:
        return {}
    return {place_of(access): gain for access in found}


def _has_long_rows(access: GlobalAccess) -> bool:
    """Whether many lanes of an access are far apart, each in a row of its own."""
    places = sorted(at for at in access.worst.offsets if at is not None)
    return len(places) >= _MANY and all(b - a >= _LONG for a, b in pairwise(places))


def _severity(reuse: Reuse, gain: Gain | None, walks: Gain | None) -> Severity:
    """A note where the cache has most of the sectors, or they are not most of what is paid."""
    if walks is None and reuse.bytes_per_sector >= WELL_USED:
        return Severity.NOTE
    return severity_if_launched(RULE.severity, walks or gain, MOST if walks is None else MUCH)


def _evidence(access: GlobalAccess, reuse: Reuse, *, walks: bool) -> Iterator[Fact]:
    sample = access.worst
    use = sample.use
    yield Fact("sector_ratio", round(use.ratio, 3))
    yield Fact("sectors", use.sectors)
    yield Fact("ideal_sectors", use.ideal)
    yield Fact("average_ratio", round(access.ratio, 3))
    used = use.bytes_per_sector
    yield Fact(
        "bytes_per_sector", round(used, 2), f"{used:.3g} of the 32 bytes per sector are used"
    )
    yield from stride_facts(sample.offsets)
    if reuse.by:
        text = f"with L1 hits, {reuse.by} use {reuse.bytes_per_sector:.3g} of 32 bytes"
        yield Fact("reused_bytes_per_sector", round(reuse.bytes_per_sector, 2), text)
    if walks:
        lines = len({at // _LINE for at in sample.offsets if at is not None})
        yield Fact("lines", lines, f"L1 looks up {lines} lines for each request, one by one")
    yield from origin_facts(access)
    yield Fact("warp", sample.warp)
    yield Fact("lane_offsets", list(sample.offsets))


def _fix(access: GlobalAccess, reuse: Reuse, *, walks: bool, swaps: bool) -> Fix:
    from ...analyzer.analyses.memory_traffic.sector_reuse import NEIGHBOURS

    if swaps:
        title = (
            "index the contiguous dimension with `threadIdx.x`: swap `threadIdx.x` and "
            "`threadIdx.y`"
        )
    elif reuse.by == NEIGHBOURS:
        apart = "store each member in its own array (structure of arrays)"
        at_once = _at_once(access)
        title = f"{at_once}, or {apart}" if at_once else apart
    elif walks:
        title = (
            "let the lanes of a warp work on one row, neighbours on neighbouring elements, or "
            "stage a tile through shared memory with coalesced accesses"
        )
    else:
        title = (
            "let neighbouring lanes access neighbouring elements, or stage a tile through shared "
            "memory with coalesced accesses"
        )
    return Fix(title, Applicability.ADVICE)


def _at_once(access: GlobalAccess) -> str:
    """How several members may be accessed by one instruction; nothing where structures are not
    laid out for that.
    """
    from ...analyzer.analyses.pointers.touched_structures import structure_of

    structure = structure_of(access.access, access.object)
    if structure is not None and (structure.width or 0) % _VECTOR:
        return ""
    element = access.access.element
    known = element.kind in (Kind.FLOAT, Kind.INTEGER)
    named = f" ({vector_type(element, _VECTOR)})" if known else ""
    return f"access the neighbouring elements at once with a vector type{named}"


def _uses_shared_memory(facts: KernelFacts) -> bool:
    return any(facts.points_to.spaces(each) == {Space.SHARED} for each in facts.accesses)


def _rows_are_columns(access: GlobalAccess) -> bool:
    """Whether threads that differ in y, not in x, are neighbours in memory."""
    from ...analyzer.analyses.memory_traffic.global_accesses import steps_of_lanes

    steps = steps_of_lanes(access)
    return steps is not None and abs(steps[1]) == access.width
