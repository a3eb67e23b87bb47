"""
## What it does

Reports a store that several threads of a block, or threads of several blocks, execute at once,
with different values for the same bytes.

## Why is this bad?

One of the values stays, which one is not defined. If any of them will do, an atomic operation says
so to the reader and to race checkers; if not, the kernel is wrong.

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

Stores of the same value by several threads, `found = 1`, are formally races too; they are a note,
as whichever store comes last, the result is the same. It is given where data decides which threads
set a flag in shared memory, as a barrier with a vote, `__syncthreads_or(in[i] > limit)`, does the
same without the flag. All others are only possible: in 500 files of public repositories there were
50 such places; the 30 that were read do no harm. Values that are not known to differ make the
finding only possible, and so do conditions that test for equality, which often hold for one thread
only. What is only possible is off by default.
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
    summary="several threads write different values to one place",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    references=("CWE-362",),
    costly=True,
)
_FIX = Fix("let one thread write, or choose the value with an atomic operation")
_VOTE = Fix("ask all threads at the barrier: `__syncthreads_or(condition)` needs no flag")
_VOTE_PTX = Fix("ask all threads at the barrier: `bar.red.or.pred` needs no flag")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line where threads write over each other."""
    from ...analyzer.analyses.races.race_groups import grouped
    from ...analyzer.analyses.races.race_kinds import RaceKind

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
    message = f"{names} write {what} to {place_name(race.conflict)}{when(race)}"
    ptx = race.races.launch.facts.kernel.language == "ptx"
    fix = (_VOTE_PTX if ptx else _VOTE) if alike and race.definite else _FIX
    found = race_finding(RULE, group, message, "several threads write here at once", (fix,))
    if alike:  # of which racecheck says nothing
        return replace(found, severity=Severity.NOTE, verify="")
    return found
