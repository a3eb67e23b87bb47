"""
## What it does

Reports lanes of one warp that exchange data through memory with no `__syncwarp()` between the write
and the access by the other lane. `volatile` does not help.

## Why is this bad?

Up to sm_60 the lanes of a warp ran in lockstep, and "warp-synchronous" code relied on it. From
sm_70 on every thread has its own program counter, and the compiler may reorder accesses of
different lanes: "code that assumes warp-synchronous execution is unsafe" (CUDA C++ Programming
Guide, "Independent Thread Scheduling").

## Example

```cuda
if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
}
```

## Use instead

```cuda
if (t < 32) {
    int v = s[t] + s[t + 32]; __syncwarp();
    s[t] = v;                 __syncwarp();
    v += s[t + 16];           __syncwarp();
    s[t] = v;                 __syncwarp();
}
```

or `__shfl_down_sync`, which needs no memory at all.

## Known problems

Silent for `--arch` below sm_70. Every shuffle and vote is assumed to order the memory accesses of
the warp, which is more than the manual guarantees: `--show-possible` says what nothing else orders.

Where another instance of the template shows the same two accesses between warps, SYN002 or SYN003
says so alone: the barrier that mends it is that of the block.

The fix inserts `__syncwarp()` between the accesses of each conflicting pair on the line, and is
unsafe: that all lanes reach it is known for the assumed block only. A shuffle may be faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Severity
from ...analyzer.findings.rule import Category, Joins, Rule
from ...analyzer.ir.tiles import TileAccess
from .._shared.barrier_advice import warp_barrier_fix
from .._shared.races import place_name, race_finding, thread_name, verb, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.races.race_groups import RaceGroup
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="WRP001",
    name="implicit-warp-sync",
    summary="lanes exchange data through memory without __syncwarp",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-820", "CWE-362"),
    joins=Joins.ARRAY,
    yields_to=frozenset({"SYN002", "SYN003"}),
    costly=True,
    uncalled=True,
    judged=("warp-barrier",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each array and line where a lane meets another lane's access."""
    from ...analyzer.analyses.conflicts.race_kinds import RaceKind
    from ...analyzer.analyses.races.race_groups import grouped

    for group in grouped(facts, RaceKind.WARP_BARRIER):
        yield _finding(group)


def _finding(group: RaceGroup) -> Finding:
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    one = f"{thread_name(race, first)} {verb(first.access)} {place_name(race)}"
    of_lane = isinstance(second.access, TileAccess)
    name = "a lane" if of_lane else thread_name(race, second)
    other = f"{name} of the same warp {verb(second.access)} it"
    message = f"{one} and {other}{when(race)}: no __syncwarp() between them"
    label = f"{thread_name(race, second)} {verb(second.access)} it here"
    fixes = () if race.benign else (warp_barrier_fix(group),)
    return race_finding(RULE, group, message, label, fixes)
