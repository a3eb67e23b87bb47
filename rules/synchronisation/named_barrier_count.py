"""
## What it does

Reports barriers for a part of the block (`bar.sync id, count`, `barrier.sync`, `bar.arrive`,
`__barrier_sync_count`) whose count or number cannot work: a count that is no multiple of 32 or
larger than the block, a number beyond 15, one number with two counts in the arms of a branch, and
counts that the threads which come there do not make up.

## Why is this bad?

A block has 16 barriers, numbered from 0, each of which lets its threads go when as many have come
as the instruction says, in whole warps (PTX ISA, `bar`). With too few the kernel hangs; with a
count that differs between the sides, or with more threads than it is for, threads pass that should
have waited. `ptxas` checks constants only against 1024 and 16.

## Example

```cuda
if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 128;");  // 64 threads come
```

## Use instead

```cuda
if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;");
```

## Known problems

Who comes to a barrier is only looked at where the block is stated, by a launch, the kernel or
`--block`, and every decision on the way is known. Counts that are computed are not judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import (
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.named_barriers import WrongCount
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="SYN010",
    name="named-barrier-count",
    summary="a barrier for a number of threads that cannot come",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-821",),
    costly=True,
)
_FIXES = {
    "identifier": "use one of the barriers 0 to 15",
    "not-warps": "count whole warps: a multiple of 32",
    "block": "count the threads that come, at most the block's",
    "different": "use the same count on both sides, or two barriers",
    "too-few": "count the threads that come",
    "too-many": "count all threads that come, or give each group a barrier of its own",
}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source."""
    from ...analyzer.analyses.barriers.named_barriers import wrong_counts

    for found in once_each(wrong_counts(facts), lambda found: found.barrier.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: WrongCount) -> Finding:
    location = found.barrier.location
    related = []
    if found.other is not None:
        related.append(Related(found.other.location.span, f"for {found.others} threads here"))
    related += call_sites(location)
    assumed = found.launch
    return Finding(
        RULE,
        location.span,
        (Part(_message(found)),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="this number of threads cannot work" if found.count else "",
        evidence=(
            Fact("wrong", found.kind.value),
            Fact("barrier", found.identifier if found.identifier >= 0 else None),
            Fact("count", found.count),
            Fact("threads", found.others),
        ),
        assumptions=(() if assumed is None else (assumed_block(assumed),)),
        related=tuple(related),
        fixes=(Fix(_FIXES[found.kind.value]),),
        verify="compute-sanitizer --tool synccheck",
    )


def _message(found: WrongCount) -> str:
    name = f"barrier {found.identifier}" if found.identifier >= 0 else "this barrier"
    kind = found.kind.value
    if kind == "identifier":
        return f"there is no {name}: a block has 16, from 0 to 15"
    if kind == "not-warps":
        return f"{name} is for {found.count} threads, which are not whole warps"
    if kind == "block":
        return f"{name} waits for {found.count} threads, but the block has at most {found.others}"
    if kind == "different":
        return f"{name} is for {found.count} threads here and for {found.others} in the other arm"
    if kind == "too-few":
        return f"{name} waits for {found.count} threads, but only {found.others} come"
    return f"{name} lets {found.count} threads go, but {found.others} come"
