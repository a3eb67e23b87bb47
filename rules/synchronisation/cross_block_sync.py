"""
## What it does

Reports blocks that wait for other blocks without a launch that promises them: `grid.sync()` in a
kernel that the file launches with `<<<...>>>`, loops that wait until all blocks have counted or
until another block has set its flag, and waiting loops on a load that is neither volatile nor
atomic. Also blocks that do not wait, but should: two blocks at the same bytes of global memory, one
of them writing, with the block and thread of each.

## Why is this bad?

Blocks run in any order, and a block stays on its multiprocessor until it ends. When the grid is
larger than what fits at once, blocks that wait keep out the ones they wait for: the kernel hangs,
on a smaller GPU or with a larger input. Only `cudaLaunchCooperativeKernel` promises that all blocks
are there; `grid.sync()` does not work without it. And a plain load in a loop that writes nothing
may be done once, before the loop.

Nothing but the end of a launch orders blocks that do not wait: a block that reads `row[i + 1]`
finds what the next block left there, or what was there before, by chance.

## Example

```cuda
cg::grid_group grid = cg::this_grid();
grid.sync();
...
stencil<<<blocks, threads>>>(data);
```

## Use instead

```cuda
void *args[] = {&data};
cudaLaunchCooperativeKernel((void *)stencil, blocks, threads, args);
```

or two launches: the end of a kernel is a barrier for all of its blocks.

## Known problems

Launches in other files are not seen; a wait in a kernel whose grid is not known is only possible,
and off by default, since the grid may be made to fit; up to 16 blocks are silent. Only possible is
also a wait for a block of a smaller number (`flag[blockIdx.x - 1]`), or for the turn of one's own
(`turn[tile] != blockIdx.z`): nobody promises it, but GPUs begin blocks in order. Blocks that take
their number from a counter, and so only wait for blocks that run, are not reported. Conflicts are
looked for in a few blocks: the first one, its neighbours, the last one and those in the middle, or
all of a small grid. Accesses behind a decision on loaded
data (flags, tickets) are left out, as blocks may have an order of their own, and so are volatile
ones, but for a store that meets an atomic operation. A count may be read while others add to it,
but not stored as if it were done. Parameters count as different arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import (
    Certainty,
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from .._shared.places import call_sites, once_each
from .._shared.races import place_name, race_finding, thread_name, verb, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.inter_block.cross_block import CrossBlock
    from ...analyzer.analyses.races.race_groups import RaceGroup

RULE = Rule(
    code="SYN008",
    name="cross-block-sync",
    summary="blocks that wait for blocks which need not be running, or do not wait at all",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-833",),
    costly=True,
)
_COOPERATIVE = Fix("launch it with `cudaLaunchCooperativeKernel`, or end the kernel here")
_SPLIT = Fix("write to another array, or split the kernel: the end of a launch orders blocks")
_VOLATILE = Fix("read it with `volatile`, an atomic operation or `ld.acquire`")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place of the source."""
    from ...analyzer.analyses.inter_block.cross_block import cross_block_waits
    from ...analyzer.analyses.races.race_groups import grouped
    from ...analyzer.analyses.races.race_kinds import RaceKind

    waits = cross_block_waits(facts)
    for found in once_each(waits, lambda found: found.operation.location.span):
        yield _finding(facts, found)
    for group in grouped(facts, RaceKind.BLOCKS):
        yield _exchange(group)


def _exchange(group: RaceGroup) -> Finding:
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    one = f"{thread_name(race, first)} {verb(first.access)} {place_name(race.conflict)}"
    other = f"{thread_name(race, second)} {verb(second.access)} it"
    message = f"{one} and {other}{when(race)}: nothing orders the two blocks"
    label = f"{thread_name(race, second)} {verb(second.access)} it here"
    return race_finding(RULE, group, message, label, (_SPLIT,))


def _finding(facts: KernelFacts, found: CrossBlock) -> Finding:
    location, launch = found.operation.location, found.launch
    related = [] if launch is None else [Related(launch.span, "an ordinary launch")]
    related += call_sites(location)
    return Finding(
        RULE,
        location.span,
        (Part(_message(found)),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        certainty=Certainty.DEFINITE if found.definite else Certainty.POSSIBLE,
        label="may wait for ever",
        evidence=(Fact("wait", found.kind.value), Fact("flag", found.name)),
        related=tuple(related),
        fixes=(_VOLATILE if found.kind.value == "plain-load" else _COOPERATIVE,),
    )


def _message(found: CrossBlock) -> str:
    kind = found.kind.value
    if kind == "grid-sync":
        return "a barrier of the grid in a kernel that is launched with no promise that all run"
    if kind == "all-blocks":
        return f"waits for all blocks to change `{found.name}`, which need not be running at once"
    if kind == "other-block":
        return f"waits for another block to set `{found.name}`, which need not be running"
    return f"waits on a plain load of `{found.name}`: it may be done once, before the loop"
