"""
## What it does

Reports data in global memory that other blocks read when a counter, a lock or a flag says so, with
no `__threadfence()` between the store of the data and the access that says so. For a lock also the
other way: no fence between taking it and what it guards. A fence of block scope is not enough for
threads of different blocks. And data that is used behind the flag itself: whoever waits for the
flag may read it before it is written, or write it before it is read.

## Why is this bad?

Stores of one thread may be seen by others in another order than they were made, and an atomic
operation orders nothing but itself. Without a fence the last block of a reduction may add up old
sums, and the next owner of a lock may work on what the last one has replaced. The CUDA C++
Programming Guide shows the first of these as its example for `__threadfence()`.

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

A fence anywhere between the two, whoever executes it, is enough to be silent. The fence that a
thread needs behind its wait for a flag is not asked for, nor is anything said of data and flags
behind one unknown pointer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.witness import Step, ThreadFlow
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.inter_block.late_accesses import Late
    from ...analyzer.analyses.inter_block.publications import Unfenced

RULE = Rule(
    code="SYN009",
    name="missing-fence",
    summary="data for other blocks that may be seen later than the flag that says it is there",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    references=("CWE-820", "CWE-362"),
    costly=True,
)
_WORDS = {
    "last-block": "this count, by which the last block knows that it may read it",
    "lock": "the release of the lock that guards it",
    "flag": "the flag that another block waits for",
}
_FIX = Fix("put `__threadfence()` between the store and the flag")
_FIX_OF_ORDER = Fix("set the flag behind it, with `__threadfence()` between")
_FIX_OF_LOCK = Fix("put `__threadfence()` behind the loop that takes the lock")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source."""
    from ...analyzer.analyses.inter_block.late_accesses import late_accesses
    from ...analyzer.analyses.inter_block.publications import PublicationKind, unfenced_publications

    for late in late_accesses(facts):
        yield _late(facts, late)
    found = unfenced_publications(facts)
    for each in once_each(found, lambda each: each.flag.location.span):
        taken = each.kind is PublicationKind.TAKEN_LOCK
        yield _taken(facts, each) if taken else _finding(facts, each)


def _finding(facts: KernelFacts, found: Unfenced) -> Finding:
    data, flag, reader = (x.location for x in (found.data, found.flag, found.reader))
    name = f"`{found.item.name}`"
    again = "another block reads it here" if found.reader.reads else "another block writes it here"
    late = "reads what may be old" if found.reader.reads else "writes what may be written over"
    writes = (Step(data.span, "writes the data"), Step(flag.span, "says so"))
    return Finding(
        RULE,
        flag.span,
        (
            Part("no fence between "),
            Part(f"the store to {name}", data.span),
            Part(f" and {_WORDS[found.kind.value]}"),
        ),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="may be seen before the data",
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
    access = "load of" if found.data.reads else "store to"
    steps = (Step(lock.span, "takes the lock"), Step(data.span, "may have been here before"))
    return Finding(
        RULE,
        data.span,
        (
            Part("no fence between "),
            Part("the taking of the lock", lock.span),
            Part(f" and the {access} `{found.item.name}` that it guards"),
        ),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="may come before the lock is taken",
        evidence=(Fact("form", found.kind.value), Fact("data", found.item.name)),
        related=(
            Related(lock.span, "the lock is taken here"),
            Related(writer.span, "its last owner writes here"),
            *call_sites(data),
        ),
        flows=(
            ThreadFlow("the last owner", (Step(writer.span, "writes the data"),)),
            ThreadFlow("the next owner", steps),
        ),
        fixes=(_FIX_OF_LOCK,),
    )


def _late(facts: KernelFacts, found: Late) -> Finding:
    flag, late, waited = (x.location for x in (found.flag, found.access, found.waited))
    access = "store to" if found.access.writes else "load of"
    other = "writes" if found.waited.writes else "reads"
    steps = (Step(flag.span, "says that it is done"), Step(late.span, "and is not"))
    return Finding(
        RULE,
        late.span,
        (
            Part(f"the {access} `{found.item.name}` comes behind "),
            Part("the flag", flag.span),
            Part(f" by which another thread knows that it may go on, and {other} it"),
        ),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="may be too late",
        evidence=(Fact("form", "late"), Fact("data", found.item.name)),
        related=(
            Related(flag.span, "the flag"),
            Related(waited.span, f"the other thread {other} it here"),
            *call_sites(late),
        ),
        flows=(
            ThreadFlow("a thread of one block", steps),
            ThreadFlow("a thread of another block", (Step(waited.span, f"{other} it"),)),
        ),
        fixes=(_FIX_OF_ORDER,),
    )
