"""
## What it does

Reports updates in place, `a[i] += x`, that two threads of a block, or of two blocks, make to the
same place without an atomic operation; and atomic operations of block scope, `atomicAdd_block`, on
what other blocks update as well. And counts that hang on what was read before, when nobody asks
what the atomic operation returns: `if (n < most) atomicAdd(&n, 1);`.

## Why is this bad?

An update is a load, an addition and a store. When two threads do it at once, both read the old
value and one of the two contributions is lost. The result is too small, by another amount in each
run.

## Example

```cuda
__shared__ int count;
if (in[i] % 2 == 0) count++;
```

## Use instead

```cuda
__shared__ int count;
if (in[i] % 2 == 0) atomicAdd(&count, 1);
```

## Known problems

Updates at an index that comes from memory are reported only where they count: a whole number that
is a constant is added, `bins[data[i]]++`; or where they keep the best, a minimum or a maximum, also
by `if (d < best[i]) best[i] = d` at the end of an edge of a graph. Other indices may be meant to be
unique, so these updates are only possible and off by default.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Certainty, Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.races import place_name, race_finding, thread_name, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.races.bins_of_blocks import BlockBins
    from ...analyzer.analyses.races.race_groups import RaceGroup
    from ...analyzer.analyses.races.scattered_updates import ScatteredUpdate

RULE = Rule(
    code="SYN007",
    name="non-atomic-update",
    summary="several threads add to one place without an atomic operation",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    references=("CWE-362",),
    costly=True,
)
_FIX = Fix("use `atomicAdd`, or let every thread keep its own sum and add them up afterwards")
_BEST_FIX = Fix("use `atomicMin` or `atomicMax`")
_SCOPE_FIX = Fix("let its scope be the device: no `_block`, no `cuda::thread_scope_block`")
_CHECK_FIX = Fix("ask what the atomic operation returns")
_LABEL = "read, changed and written back by several threads"


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line where updates of different threads meet."""
    from ...analyzer.analyses.races.bins_of_blocks import block_bins
    from ...analyzer.analyses.races.race_groups import grouped
    from ...analyzer.analyses.races.race_kinds import RaceKind
    from ...analyzer.analyses.races.scattered_updates import scattered_updates

    for group in grouped(facts, RaceKind.UPDATE):
        yield _finding(group)
    for group in grouped(facts, RaceKind.CHECK):
        yield _checked(group)
    for group in grouped(facts, RaceKind.SCOPE):
        yield _of_one_block(group)
    for update in scattered_updates(facts):
        yield _scattered(facts, update)
    for bins in block_bins(facts):
        yield _counted_in_bins(facts, bins)


def _finding(group: RaceGroup) -> Finding:
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    names = f"{thread_name(race, first)} and {thread_name(race, second)}"
    what = f"update {place_name(race.conflict)} at once and not atomically{when(race)}"
    found = race_finding(
        RULE, group, f"{names} {what}: one of the updates is lost", _LABEL, (_FIX,)
    )
    return replace(found, related=found.related[1:])  # the other access is the same line


def _checked(group: RaceGroup) -> Finding:
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    reader, counter = (first, second) if second.access.writes else (second, first)
    what = f"{thread_name(race, reader)} reads {place_name(race.conflict)} to decide on a count"
    others = f"while {thread_name(race, counter)} counts there{when(race)}: it may go too far"
    label = "counted by what was read before"
    return race_finding(RULE, group, f"{what} {others}", label, (_CHECK_FIX,))


def _of_one_block(group: RaceGroup) -> Finding:
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    names = f"{thread_name(race, first)} and {thread_name(race, second)}"
    updates = first.access.reads and second.access.reads and second.access.writes
    verb = "update" if updates else "use"
    what = f"{verb} {place_name(race.conflict)}{when(race)}, atomically within a block only"
    label = "atomic for the threads of one block"
    return race_finding(RULE, group, f"{names} {what}", label, (_SCOPE_FIX,))


def _counted_in_bins(facts: KernelFacts, bins: BlockBins) -> Finding:
    name = bins.item.name.removeprefix("*")
    what = f"blocks update {name} at an index that comes from memory"
    return Finding(
        RULE,
        bins.access.location.span,
        (Part(f"{what}, atomically within a block only"),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="atomic for the threads of one block",
        fixes=(_SCOPE_FIX,),
    )


def _scattered(facts: KernelFacts, update: ScatteredUpdate) -> Finding:
    name = update.item.name.removeprefix("*") if update.item is not None else "memory"
    what = f"{update.threads} threads update {name} at an index that comes from memory"
    return Finding(
        RULE,
        update.store.location.span,
        (Part(f"{what}, not atomically: threads with equal indices lose updates"),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        certainty=Certainty.DEFINITE if update.counts else Certainty.POSSIBLE,
        label=_LABEL,
        evidence=(Fact("threads", update.threads),),
        fixes=(_BEST_FIX if update.keeps else _FIX,),
        verify="compute-sanitizer --tool racecheck",
    )
