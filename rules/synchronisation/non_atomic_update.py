"""
## What it does

Reports read-modify-write updates, `a[i] += x`, of the same element by two threads of a block, or of
two blocks, without an atomic operation; and atomics of block scope, `atomicAdd_block`, on data that
other blocks update too. Also check-then-increment, where the value returned by the atomic operation
is not used: `if (n < limit) atomicAdd(&n, 1);`.

## Why is this bad?

An update is a load, an addition and a store. When two threads execute it concurrently, both read
the old value and one of the two contributions is lost. The result is too small, by a different
amount in each run.

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

Updates at a data-dependent index are reported only where they count, by adding an integer constant
(`bins[data[i]]++`), or where they keep a minimum or maximum, also as `if (d < best[i]) best[i] = d`
for the edges of a graph. In other updates the indices may be unique by design, so these are only
possible findings, off by default.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Joins, Rule
from ...analyzer.findings.verifying import sanitizer
from ...analyzer.source.words import plural
from .._shared.races import place_name, race_finding, thread_name, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.conflicts.updates import Updates
    from ...analyzer.analyses.dataflow.control_flow import ControlFlow
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.races.bins_of_blocks import BlockBins
    from ...analyzer.analyses.races.race_groups import RaceGroup
    from ...analyzer.analyses.races.scattered_updates import ScatteredUpdate
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="SYN007",
    name="non-atomic-update",
    summary="several threads update the same location without an atomic operation",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    references=("CWE-362",),
    costly=True,
    joins=Joins.ARRAY,
    judged=("update", "check", "scope", "scattered-update"),
)
_FIX = Fix("use `atomicAdd`, or let every thread keep its own sum and reduce the sums afterwards")
_BEST_FIX = Fix("use `atomicMin` or `atomicMax`")
_ANY_FIX = Fix("let a single thread do the update, or put it into a loop around `atomicCAS`")
_ALONE_FIX = Fix("let a single thread do the update")
_ONE_FIX = Fix(f"{_ALONE_FIX.title}; if every thread is to add, use `atomicAdd`")
_WORDS = (4, 8)  # bytes: what the atomic operations on bits take
_SCOPE_FIX = Fix("use device scope: drop `_block`, or pass `cuda::thread_scope_device`")
_CHECK_FIX = Fix("test the value that the atomic operation returns")
_LABEL = "non-atomic read-modify-write by several threads"
_BLOCK_SCOPE = "atomic only within a block"


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line where updates of different threads meet."""
    from ...analyzer.analyses.conflicts.race_kinds import RaceKind
    from ...analyzer.analyses.races.bins_of_blocks import block_bins
    from ...analyzer.analyses.races.race_groups import grouped
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
    from ...analyzer.analyses.conflicts.updates import is_made_by_all

    race = group.best
    first, second = race.conflict.first, race.conflict.second
    reader, writer = (first, second) if second.access.writes else (second, first)
    names = f"{thread_name(race, first)} and {thread_name(race, second)}"
    what = f"update {place_name(race)} concurrently without an atomic{when(race)}"
    text = f"{names} {what}: one update can be lost"
    facts = race.races.launch.facts
    fix = _fix(writer.access, facts.updates)
    known = (writer.access, facts.flow, race.races.launch.uniformity)
    let_in = fix is _ANY_FIX and first.block is None  # sums may be of those that come
    if is_made_by_all(*known, let_in=let_in):
        everyone = "every thread" if is_made_by_all(*known) else "every thread that comes here"
        text = f"{names} {what}, and so does {everyone}: how often it takes effect is undefined"
        fix = _ONE_FIX if fix is _FIX else _ALONE_FIX
    if _may_only_read(facts.flow, reader.access, writer.access):
        place = f"{place_name(race)} without an atomic{when(race)}"
        reads = f"while {thread_name(race, reader)} reads it: that may miss the update"
        text = f"{thread_name(race, writer)} updates {place}, {reads}"
    found = race_finding(RULE, group, text, _LABEL, (fix,))
    return replace(found, related=found.related[1:])  # the other access is the same line


def _may_only_read(flow: ControlFlow, load: MemoryAccess, store: MemoryAccess) -> bool:
    """Whether a thread that loads for an update may leave out the store, by a condition."""
    if load.writes:
        return False
    before = flow.controlling_edges(load.block)
    return any(edge not in before for edge in flow.controlling_edges(store.block))


def _checked(group: RaceGroup) -> Finding:
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    reader, counter = (first, second) if second.access.writes else (second, first)
    what = f"check-then-increment on {place_name(race)} is not atomic{when(race)}"
    checks = f"{thread_name(race, reader)} may check it before"
    others = f"{checks} {thread_name(race, counter)} increments it, and exceed the limit"
    label = "incremented after a separate check"
    return race_finding(RULE, group, f"{what}: {others}", label, (_CHECK_FIX,))


def _of_one_block(group: RaceGroup) -> Finding:
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    names = f"{thread_name(race, first)} and {thread_name(race, second)}"
    updates = first.access.reads and second.access.reads and second.access.writes
    verb = "update" if updates else "access"
    what = f"{verb} {place_name(race)}{when(race)} with block-scope atomics"
    text = f"{names} {what}: not atomic between blocks"
    return race_finding(RULE, group, text, _BLOCK_SCOPE, (_SCOPE_FIX,))


def _counted_in_bins(facts: KernelFacts, bins: BlockBins) -> Finding:
    name = bins.item.name.removeprefix("*")
    what = f"blocks update {name} at a data-dependent index with block-scope atomics"
    return Finding(
        RULE,
        bins.access.location.span,
        (Part(f"{what}: not atomic between blocks"),),
        facts.kernel.label,
        RULE.severity,
        label=_BLOCK_SCOPE,
        fixes=(_SCOPE_FIX,),
    )


def _fix(store: MemoryAccess, known: Updates) -> Fix:
    """The atomic operation that does what the update does."""
    from ...analyzer.analyses.conflicts.updates import sums_onto
    from ...analyzer.ir.operations import AccessKind, Opcode, Operation, unconverted

    value = store.operands[1] if store.kind is AccessKind.STORE else None
    made = None if value is None else unconverted(value)
    names = {Opcode.OR: "atomicOr", Opcode.AND: "atomicAnd", Opcode.XOR: "atomicXor"}
    opcode = made.opcode if isinstance(made, Operation) else None
    if opcode in (Opcode.MIN, Opcode.MAX):
        return _kept_best(store)
    bits = names.get(opcode) if opcode is not None else None
    if bits is None:
        return _FIX if store.reads or sums_onto(store, known) else _ANY_FIX
    if store.width in _WORDS:
        return Fix(f"use `{bits}`")
    return Fix(f"use `{bits}` on the 32-bit word that holds it")


def _kept_best(store: MemoryAccess) -> Fix:
    """There is no such atomic operation on floats."""
    from ...analyzer.ir.types import Kind

    return _ANY_FIX if store.element.kind is Kind.FLOAT else _BEST_FIX


def _scattered(facts: KernelFacts, update: ScatteredUpdate) -> Finding:
    name = update.item.name.removeprefix("*") if update.item is not None else "memory"
    what = f"{plural(update.threads, 'thread')} update {name} at a data-dependent index"
    return Finding(
        RULE,
        update.store.location.span,
        (Part(f"{what} without an atomic: threads with equal indices lose updates"),),
        facts.kernel.label,
        RULE.severity,
        doubts=stated(update.doubts, facts.module.unseen),
        label=_LABEL,
        evidence=(Fact("threads", update.threads),),
        fixes=(_kept_best(update.store) if update.keeps else _fix(update.store, facts.updates),),
        verify=sanitizer("racecheck"),
    )
