"""
## What it does

Reports data in global memory that other blocks read once a counter, a lock or a flag has signalled
it, with no `__threadfence()` between the store of the data and the signal. Also the reverse: no
fence between acquiring a lock and the data that it guards, or between a wait for a flag and a plain
load of the data by the same thread. A fence of block scope is not
enough for threads of different blocks. Also reports data that is accessed after its own flag has
been set: a thread that waits for the flag may read it before it is written, or overwrite it before
it is read. And reports a counter by which one thread says that its block is done, with no barrier
between it and what the other threads of the block store: a fence does not wait for them.

## Why is this bad?

Other threads may see the stores of one thread in a different order, and a relaxed atomic operation
orders only itself. Without a fence the last block of a reduction may add stale sums, and the next
owner of a lock may work on data that the previous one has replaced. The CUDA C++ Programming Guide
uses the first case as its example for `__threadfence()`.

## Example

```cuda
sums[blockIdx.x] = sum;
last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
```

## Use instead

```cuda
sums[blockIdx.x] = sum;
__threadfence();
last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
```

## Known problems

Any fence between the two accesses silences the rule, whichever thread executes it, but for a
counter with no barrier before it. The fence that a
thread needs after its wait for a flag is not checked where the block meets at a barrier before it
loads, nor are data and flags that are reached through the same unknown pointer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.witness import Step, ThreadFlow
from ...analyzer.ir.operations import AccessKind
from .._shared.places import call_sites, object_name, once_each, triple
from .._shared.races import thread_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.inter_block.early_counts import EarlyCount
    from ...analyzer.analyses.inter_block.late_accesses import Late
    from ...analyzer.analyses.inter_block.publications import Unfenced

RULE = Rule(
    code="SYN009",
    name="missing-fence",
    summary="data is published to other blocks with no fence before the flag that signals it",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    references=("CWE-820", "CWE-362"),
    costly=True,
)
_WORDS = {
    "last-block": "the counter that signals the last block",
    "lock": "the release of the lock that guards it",
    "flag": "the flag that another block waits for",
}
_FIX = Fix("insert `__threadfence()` between the store and the flag")
_FIX_OF_ORDER = Fix("set the flag after this access, with `__threadfence()` between them")
_FIX_OF_COUNT = Fix("insert `__syncthreads()` between the store and the counter")
_FIX_OF_WAIT = Fix("insert `__threadfence()` between the wait and the load")
_FIX_OF_LOCK = Fix("insert `__threadfence()` after the loop that acquires the lock")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place that publishes data to other blocks with no fence."""
    from ...analyzer.analyses.inter_block.early_counts import early_counts
    from ...analyzer.analyses.inter_block.late_accesses import late_accesses
    from ...analyzer.analyses.inter_block.publications import PublicationKind, unfenced_publications

    for late in late_accesses(facts):
        yield _late(facts, late)
    found = unfenced_publications(facts)
    unfenced = {each.flag for each in found}
    for early in once_each(early_counts(facts), lambda each: each.count.location.span):
        if early.count not in unfenced:
            yield _early(facts, early)
    for each in once_each(found, lambda each: each.flag.location.span):
        if each.kind is PublicationKind.TAKEN_LOCK:
            yield _taken(facts, each)
        elif each.kind is PublicationKind.AWAITED_FLAG:
            yield _awaited(facts, each)
        else:
            yield _finding(facts, each)


def _finding(facts: KernelFacts, found: Unfenced) -> Finding:
    data, flag, reader = (x.location for x in (found.data, found.flag, found.reader))
    name = f"`{object_name(found.item)}`"
    again = "another block reads it here" if found.reader.reads else "another block writes it here"
    late = "may read stale data" if found.reader.reads else "its write may be overwritten"
    writes = (Step(data.span, "writes the data"), Step(flag.span, "signals completion"))
    cost = "may read stale data" if found.reader.reads else "may lose its write"
    return Finding(
        RULE,
        flag.span,
        (
            Part("no fence between "),
            Part(f"the store to {name}", data.span),
            Part(f" and {_WORDS[found.kind.value]}: another block {cost}"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="may become visible before the data",
        evidence=(Fact("form", found.kind.value), Fact("data", found.item.name)),
        related=(
            Related(data.span, "the data"),
            Related(reader.span, again),
            *call_sites(flag),
        ),
        flows=(
            ThreadFlow("a thread of one block", writes),
            ThreadFlow("a thread of another block", (Step(reader.span, late),)),
        ),
        fixes=(_FIX,),
    )


def _taken(facts: KernelFacts, found: Unfenced) -> Finding:
    data, lock, writer = (x.location for x in (found.data, found.flag, found.reader))
    access = f"{'load of' if found.data.reads else 'store to'} `{object_name(found.item)}`"
    steps = (Step(lock.span, "acquires the lock"), Step(data.span, "may have executed before that"))
    return Finding(
        RULE,
        data.span,
        (
            Part("no fence between "),
            Part("acquiring the lock", lock.span),
            Part(f" and the {access} that it guards: they may be reordered"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="may execute before the lock is held",
        evidence=(Fact("form", found.kind.value), Fact("data", found.item.name)),
        related=(
            Related(lock.span, "the lock is acquired here"),
            Related(writer.span, "its previous owner writes here"),
            *call_sites(data),
        ),
        flows=(
            ThreadFlow("previous owner", (Step(writer.span, "writes the data"),)),
            ThreadFlow("next owner", steps),
        ),
        fixes=(_FIX_OF_LOCK,),
    )


def _awaited(facts: KernelFacts, found: Unfenced) -> Finding:
    data, wait, store = (x.location for x in (found.data, found.flag, found.reader))
    steps = (Step(wait.span, "finds the flag"), Step(data.span, "may have loaded before that"))
    return Finding(
        RULE,
        data.span,
        (
            Part("no fence between "),
            Part("the wait for the flag", wait.span),
            Part(f" and the load of `{object_name(found.item)}`: it may be stale"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="may execute before the flag is set",
        evidence=(Fact("form", found.kind.value), Fact("data", found.item.name)),
        related=(
            Related(wait.span, "waits for the flag here"),
            Related(store.span, "another block writes the data here"),
            *call_sites(data),
        ),
        flows=(
            ThreadFlow("a thread of one block", (Step(store.span, "writes the data"),)),
            ThreadFlow("a thread of another block", steps),
        ),
        fixes=(_FIX_OF_WAIT,),
    )


def _late(facts: KernelFacts, found: Late) -> Finding:
    flag, late, waited = (x.location for x in (found.flag, found.access, found.waited))
    access = "store to" if found.access.writes else "load of"
    other = "writes" if found.waited.writes else "reads"
    may = other.removesuffix("s")
    does = "writes the data" if found.access.writes else "reads the data"
    steps = (Step(flag.span, "signals completion"), Step(late.span, f"{does} only now"))
    return Finding(
        RULE,
        late.span,
        (
            Part(f"the {access} `{object_name(found.item)}` comes after "),
            Part("the flag", flag.span),
            Part(f" that lets another thread {may} it"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="may execute too late",
        evidence=(Fact("form", "late"), Fact("data", found.item.name)),
        related=(
            Related(flag.span, "the flag is set here"),
            Related(waited.span, f"the other thread {other} it here"),
            *call_sites(late),
        ),
        flows=(
            ThreadFlow("a thread of one block", steps),
            ThreadFlow("a thread of another block", (Step(waited.span, f"{other} it"),)),
        ),
        fixes=(_FIX_OF_ORDER,),
    )


def _early(facts: KernelFacts, found: EarlyCount) -> Finding:
    data, count, reader = (x.location for x in (found.data, found.count, found.reader))
    storing, counting = (
        f"thread {triple(thread_at(found.launch.block, thread))}"
        for thread in (found.storing, found.counting)
    )
    access = "store to" if found.data.kind is AccessKind.STORE else "update of"
    verb = "stores" if found.data.kind is AccessKind.STORE else "updates"
    return Finding(
        RULE,
        count.span,
        (
            Part("no barrier between "),
            Part(f"the {access} `{object_name(found.item)}`", data.span),
            Part(f" by {storing} and the counter that {counting} updates to signal that the"),
            Part(" block is done: the last block may read stale data"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="may be executed before other threads have stored",
        evidence=(
            Fact("form", "early-count"),
            Fact("data", found.item.name),
            Fact("storing_thread", found.storing),
            Fact("counting_thread", found.counting),
        ),
        related=(
            Related(data.span, "the data"),
            Related(reader.span, "the last block reads it here"),
            *call_sites(count),
        ),
        flows=(
            ThreadFlow(counting, (Step(count.span, "signals completion"),)),
            ThreadFlow(storing, (Step(data.span, f"{verb} the data only now"),)),
            ThreadFlow("a thread of the last block", (Step(reader.span, "may read stale data"),)),
        ),
        assumptions=(assumed_block(found.launch),),
        fixes=(_FIX_OF_COUNT,),
    )
