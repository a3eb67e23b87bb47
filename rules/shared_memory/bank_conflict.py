"""
## What it does

Computes, for every access to shared memory whose addresses depend only on `threadIdx` and
constants, how many wavefronts one warp needs, and reports accesses that need at least twice the
ideal number because several lanes access different words of the same bank. The numbers are those of
Nsight Compute's source page; wide accesses, broadcasts, inactive lanes and the compiler's merging
of neighbouring accesses are counted as the hardware counts them.

## Why is this bad?

Shared memory has 32 banks of 4 bytes. Accesses by lanes of a warp to different words of one bank
serialise: an n-way conflict makes the access n times as slow, and every other access of the
multiprocessor waits for it.

## Example

```cuda
__shared__ float tile[32][32];
float sum = 0.0f;
tile[threadIdx.x][threadIdx.y] = in[i];   // lanes are 128 bytes apart: all in one bank
```

## Use instead

```cuda
__shared__ float tile[32][33];            // rows are 132 bytes apart: 32 different banks
float sum = 0.0f;
tile[threadIdx.x][threadIdx.y] = in[i];
```

A padding is suggested only after counting every access to the array with it, for this block shape.

## Known problems

Accesses whose stride is a parameter are not reported; the summary counts them as not analysed.
Guards that depend on parameters or data, such as `i < n`, are assumed to let all lanes through.
When the compiler merges accesses that this rule counts separately, the real number can be lower. A
finding is a note where, by a rough estimate, less than two thousandths of the kernel's time are to
be gained, or less than a twentieth and the access takes no more than two wavefronts for each ideal
one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import (
    Applicability,
    Edit,
    Fact,
    Finding,
    Fix,
    Part,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import source_counters
from ...analyzer.source.words import plural
from .._shared.accesses import (
    array_of,
    assumptions_of,
    origin_facts,
    place_of,
    related_places,
    stride_facts,
)
from .._shared.doubts import doubts_about
from .._shared.gains import LITTLE, access_gain, severity_by_gain, stated

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.padding import Padding, Skew
    from ...analyzer.analyses.memory_traffic.shared_accesses import SharedAccess
    from ...analyzer.findings.finding import StatedDoubt
    from ...analyzer.findings.gain import Gain
    from ...analyzer.ir.memory import MemoryObject

RULE = Rule(
    code="SHM001",
    name="bank-conflict",
    summary="lanes of a warp access different words of one bank of shared memory",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    judged=("bank-conflict", "tail"),
)

THRESHOLD = 2.0  # wavefronts per ideal wavefront
_SMALL = 0.1  # of the kernel's time: below it, two wavefronts on average are a note
_VERBS = {
    "store": "store to",
    "load": "load from",
    "atomic": "atomic on",
    "ldmatrix": "ldmatrix from",
}
_VERIFY = source_counters("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source whose accesses conflict, the worst of them."""
    from ...analyzer.analyses.doubts.costs.candidates import TailCandidate
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_TAILS

    threshold = facts.options.thresholds.get(RULE.code, THRESHOLD)
    places: dict[tuple[Hashable, tuple[StatedDoubt, ...]], list[SharedAccess]] = {}
    for access in facts.shared_accesses:
        if access.reason or access.degree < threshold or len(_meeting_lanes(access)) < 2:
            continue  # an access wider than its lanes are many has no conflict
        tail = doubts_about(facts, OF_TAILS, TailCandidate(facts, access))
        places.setdefault((place_of(access), tail), []).append(access)
    fixes_of = cache(partial(_fixes, facts))  # of an array, whose accesses are counted again
    for (_, tail), accesses in places.items():
        access = max(accesses, key=lambda each: each.degree)
        fixes = () if access.object is None else fixes_of(access.object)
        finding = _finding(facts, access, len(accesses), fixes)
        yield replace(finding, doubts=tail or finding.doubts)


def _meeting_lanes(access: SharedAccess) -> list[int]:
    """Lanes of the worst bank that wait for each other: of different words, or atomics."""
    from ...analyzer.hardware.banks import SharedKind

    sample = access.worst
    bank = sample.conflict.worst_bank
    lanes = sample.conflict.banks.get(bank, ()) if bank is not None else ()
    if access.kind in (SharedKind.ATOMIC, SharedKind.CAS):
        one_word = len({offset for offset in sample.offsets if offset is not None}) < 2
        return [] if one_word else sorted(lanes)  # one word is contention, not a conflict
    rows: dict[int, int] = {}
    for lane in lanes:
        offset = sample.offsets[lane]
        if offset is not None:
            rows.setdefault(offset // 128, lane)
    return sorted(rows.values())


def _finding(
    facts: KernelFacts, access: SharedAccess, count: int, fixes: tuple[Fix, ...]
) -> Finding:
    """The finding of a place: its worst access, and how many of its accesses conflict."""
    from ...analyzer.analyses.doubts.costs.candidates import ConflictCandidate
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_CONFLICTS

    operation = access.access
    sample = access.worst
    verb = _VERBS.get(operation.kind.value, "access to")
    name = access.object.name if access.object is not None else "shared memory"
    conflict = sample.conflict
    declared = access.object.span if access.object is not None else None
    gain = access_gain(facts, access)
    saved = 1.0 if gain is None else gain.when_large
    candidate = ConflictCandidate(access, tuple(_meeting_lanes(access)), saved, bool(fixes))
    message = (
        Part(f"{_way(conflict.degree)} bank conflict: a warp's {verb} "),
        Part(name, declared),
        Part(f" takes {plural(conflict.wavefronts, 'wavefront')} instead of {conflict.ideal}"),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        _severity(access, gain),
        label=f"{plural(conflict.wavefronts, 'wavefront')}, ideal {conflict.ideal}",
        evidence=tuple(_evidence(access, count)),
        assumptions=tuple(assumptions_of(access)),
        related=related_places(access),
        array=array_of(access),
        gain=stated(gain),
        fixes=fixes,
        verify=_VERIFY,
        doubts=doubts_about(facts, OF_CONFLICTS, candidate),
    )


def _severity(access: SharedAccess, gain: Gain | None) -> Severity:
    """A note where the conflicts cost little, two wavefronts on average also where it is more."""
    small = _SMALL if access.degree <= THRESHOLD else LITTLE
    return severity_by_gain(RULE.severity, gain, small)


def _way(degree: float) -> str:
    return f"{degree:.3g}-way"


def _evidence(access: SharedAccess, count: int) -> Iterator[Fact]:
    sample = access.worst
    conflict = sample.conflict
    lanes = _meeting_lanes(access)
    yield Fact("degree", round(conflict.degree, 3))
    yield Fact("wavefronts", conflict.wavefronts)
    yield Fact("ideal_wavefronts", conflict.ideal)
    yield Fact("average_degree", round(access.degree, 3), _average(access))
    shown = ", ".join(map(str, lanes[:6])) + (", …" if len(lanes) > 6 else "")
    words = f"lanes {shown} access different words of bank {conflict.worst_bank}"
    yield Fact("lanes", list(lanes), words)
    yield Fact("bank", conflict.worst_bank)
    yield from stride_facts(sample.offsets)
    yield Fact("width_bytes", access.width, _merged(access))
    yield from origin_facts(access)
    if count > 1:
        yield Fact("instructions", count, f"{count} instructions of this line have bank conflicts")
    yield Fact("warp", sample.warp)
    yield Fact("lane_offsets", list(sample.offsets))
    if not access.complete:
        yield Fact("rounds", "cut off", "only the first iterations of the loop were counted")


def _average(access: SharedAccess) -> str | None:
    if abs(access.degree - access.worst.conflict.degree) < 0.005:
        return None
    return f"{access.degree:.3g}-way on average over all warps and iterations counted"


def _merged(access: SharedAccess) -> str | None:
    if access.width == access.access.width:
        return None
    return f"the compiler merges neighbouring accesses into one {access.width * 8}-bit access"


def _padding(
    facts: KernelFacts, object: MemoryObject, same: list[SharedAccess], padding: Padding
) -> Fix:
    from ...analyzer.analyses.memory_traffic.padded_rows import extent_edit

    extents = "".join(f"[{extent}]" for extent in padding.extents)
    whole = padding.after <= padding.ideal
    effect = "removes the conflicts" if whole else "reduces the conflicts"
    title = (
        f"declare `{object.name}{extents}`: padding {effect} "
        f"({padding.before} → {padding.after} wavefronts over all accesses to "
        f"{object.name}{_counted(padding)}) "
        f"and takes {plural(padding.extra_bytes, 'more byte')} per block"
    )
    edit = extent_edit(facts, object, same, padding) if whole else None
    if edit is None:
        return Fix(title, Applicability.ADVICE)
    applicability = Applicability.SAFE if edit.proven else Applicability.UNSAFE
    return Fix(title, applicability, (Edit(edit.span, edit.text),))


def _fixes(facts: KernelFacts, object: MemoryObject) -> tuple[Fix, ...]:
    """What changes the layout of an array for the better, over all accesses to it."""
    from ...analyzer.analyses.memory_traffic.padding import best_padding, best_skew

    same = [other for other in facts.shared_accesses if other.object in (object, None)]
    padding = best_padding(object, same, facts.architecture)
    if padding is not None:
        return (_padding(facts, object, same, padding),)
    skew = best_skew(object, same, facts.architecture)
    if skew is None:
        return ()
    cost = "" if skew.extra_bytes is None else f", {plural(skew.extra_bytes, 'more byte')}"
    title = (
        f"replace every `{object.name}[i]` by `{object.name}[i + i / 32]`: "
        f"{skew.before} → {skew.after} wavefronts over all accesses"
        f"{_counted(skew)}{cost}"
    )
    return (Fix(title, Applicability.ADVICE),)


def _counted(layout: Padding | Skew) -> str:
    """What is said of sums that leave out warps of the block, or the later iterations of loops."""
    part = ""
    if layout.part is not None:
        counted, warps = layout.part
        part = f" by {counted} of the block's {warps} warps"
    return part if layout.complete else f"{part} in the first iterations"
