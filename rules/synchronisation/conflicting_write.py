"""
## What it does

Reports a store by which several threads of a block, or threads of different blocks, concurrently
write different values to the same bytes.

## Why is this bad?

One of the values remains, and which one is undefined. If any of them will do, an atomic operation
says so to readers and to race checkers; otherwise the kernel is wrong.

## Example

```cuda
__shared__ int last;
if (in[i] > limit) last = threadIdx.x;
```

## Use instead

```cuda
__shared__ int last;
if (in[i] > limit) atomicMax(&last, threadIdx.x);
```

## Known problems

Stores of the same value by several threads, `found = 1`, are formally races too, but the result is
the same whichever store comes last, so they are a note. That note is given where data decides which
threads set a flag in shared memory, because a barrier with a vote,
`__syncthreads_or(in[i] > limit)`, needs no flag. All other stores of equal values are only possible
findings: of 50 such places in 500 files of public repositories, the 30 that were read are harmless.
A finding is also only possible when the values are not known to differ, or when the store is
guarded by a test for equality, which often holds for a single thread. Possible findings are off by
default.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fix, Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.races import place_name, race_finding, thread_name, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.races.race_groups import RaceGroup
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="SYN006",
    name="conflicting-write",
    summary="several threads write different values to the same location",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    references=("CWE-362",),
    costly=True,
    judged=("writes", "equal-writes"),
)
_FIX = Fix("let a single thread write, or combine the values with an atomic operation")
_VOTE = Fix("replace flag and barrier by a vote: `__syncthreads_or(condition)`")
_VOTE_PTX = Fix("replace flag and barrier by a vote: `bar.red.or.pred`")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line where threads write over each other."""
    from ...analyzer.analyses.conflicts.race_kinds import RaceKind
    from ...analyzer.analyses.races.race_groups import grouped

    for group in grouped(facts, RaceKind.WRITES):
        yield _finding(group, alike=False)
    for group in grouped(facts, RaceKind.EQUAL_WRITES):
        yield _finding(group, alike=True)


def _finding(group: RaceGroup, *, alike: bool) -> Finding:
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    names = f"{thread_name(race, first)} and {thread_name(race, second)}"
    what = "the same value" if alike else "different values"
    values = (first.stored, second.stored)
    if not alike and None not in values:
        what += f", {values[0]} and {values[1]},"
    message = f"{names} write {what} to {place_name(race)}{when(race)}"
    message += "" if alike else ": which one remains is undefined"
    ptx = race.races.launch.facts.kernel.language == "ptx"
    fix = (_VOTE_PTX if ptx else _VOTE) if alike and race.definite else _FIX
    found = race_finding(RULE, group, message, "concurrent writes by several threads", (fix,))
    if alike:  # of which racecheck says nothing
        return replace(found, severity=Severity.NOTE, verify="")
    return found
