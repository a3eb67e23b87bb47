"""
## What it does

Reports blocks that wait for other blocks although the launch does not guarantee that these are
resident: `grid.sync()` in a kernel that the file launches with `<<<...>>>`, loops that spin until
all blocks have incremented a counter or until another block has set its flag, and loops that spin
on a load that is neither volatile nor atomic. Also blocks that do not wait, but should: two blocks
that access the same bytes of global memory, at least one of them writing, with the block and thread
of each.

## Why is this bad?

Blocks run in any order, and a block stays on its multiprocessor until it has finished. When the
grid is larger than what is resident at once, waiting blocks keep out the blocks that they wait for:
the kernel hangs, on a smaller GPU or with a larger input. Only `cudaLaunchCooperativeKernel`
guarantees that all blocks are resident; `grid.sync()` does not work without it. And the compiler
may hoist a plain load out of a loop that writes nothing.

Within a launch nothing orders blocks that do not wait: a block that reads `row[i + 1]` finds what
the next block has written, or what was there before, by chance. An element that each block scales,
`row[threadIdx.x] *= f`, is scaled once for each block, or less often. Bins of a histogram that one
block sets to zero lose what other blocks have counted before.

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

or two launches: the end of a kernel is a barrier for all its blocks.

## Known problems

Launches in other files are not seen. A wait in a kernel whose grid is unknown is only possible, and
off by default, since the grid may be chosen to fit; grids of up to 16 blocks are not reported. Also
only possible are a wait for a block with a smaller index (`flag[blockIdx.x - 1]`) and a wait for
one's own turn (`turn[tile] != blockIdx.z`): no specification guarantees it, but GPUs start blocks
in order. Blocks that take their index from a counter, and so wait only for blocks that are already
running, are not reported. Conflicts are searched in a few blocks: the first, its neighbours, the
last and those in the middle, or all blocks of a small grid. Accesses after a condition on loaded
data (flags, tickets) are left out, since they may order the blocks; so are volatile accesses,
except for a store that conflicts with an atomic operation. A counter may be read while other blocks
add to it, but its value must not be stored as final. Kernel parameters are assumed not to alias.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import (
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.witness import Step, ThreadFlow
from .._shared.doubts import doubts_about
from .._shared.places import call_sites, object_name, once_each
from .._shared.races import place_name, race_finding, thread_name, verb, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.inter_block.cross_block import CrossBlock
    from ...analyzer.analyses.races.bins_of_blocks import SetBins
    from ...analyzer.analyses.races.race_groups import RaceGroup

RULE = Rule(
    code="SYN008",
    name="cross-block-sync",
    summary="blocks that wait for blocks which may not be resident, or share data without waiting",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-833",),
    costly=True,
    judged=("blocks", "wait"),
)
_COOPERATIVE = Fix("launch it with `cudaLaunchCooperativeKernel`, or split the kernel here")
_SPLIT = Fix("write to a different array, or split the kernel into two launches here")
_OWN_ELEMENTS = Fix("let the index depend on `blockIdx`, so that each block has its own elements")
_CLEAR_BEFORE = Fix("set the bins before the launch, by `cudaMemset` or a kernel of its own")
_VOLATILE = Fix("read it through `volatile`, `cuda::atomic_ref` or `ld.acquire`")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place where blocks wait for others, or share data without waiting."""
    from ...analyzer.analyses.conflicts.race_kinds import RaceKind
    from ...analyzer.analyses.inter_block.cross_block import cross_block_waits
    from ...analyzer.analyses.races.bins_of_blocks import set_bins
    from ...analyzer.analyses.races.race_groups import grouped

    waits = cross_block_waits(facts)
    for found in once_each(waits, lambda found: found.operation.location.span):
        yield _finding(facts, found)
    for group in grouped(facts, RaceKind.BLOCKS):
        yield _exchange(group, facts)
    for bins in set_bins(facts):
        yield _set_bins(facts, bins)


def _exchange(group: RaceGroup, facts: KernelFacts) -> Finding:
    from ...analyzer.analyses.block_execution.launch_values import BLOCK_INDEX

    race = group.best
    first, second = race.conflict.first, race.conflict.second
    one = f"{thread_name(race, first)} {verb(first.access)} {place_name(race)}"
    other = f"{thread_name(race, second)} {verb(second.access)} it"
    message = f"{one} and {other}{when(race)}: nothing orders the two blocks"
    label = f"{thread_name(race, second)} {verb(second.access)} it here"
    fix = _OWN_ELEMENTS if facts.registers.isdisjoint(BLOCK_INDEX) else _SPLIT
    return race_finding(RULE, group, message, label, (fix,))


def _set_bins(facts: KernelFacts, bins: SetBins) -> Finding:
    store, count = bins.store.location, bins.count.location
    name = f"`{object_name(bins.item)}`"
    flows = (
        ThreadFlow("a thread of one block", (Step(count.span, "counts"),)),
        ThreadFlow("a thread of another block", (Step(store.span, "writes over it"),)),
    )
    return Finding(
        RULE,
        store.span,
        (
            Part(f"a block writes {name} while "),
            Part("other blocks count", count.span),
            Part(" in it: nothing orders them, and counts are lost"),
        ),
        facts.kernel.label,
        RULE.severity,
        label="may come after other blocks have counted",
        evidence=(Fact("data", bins.item.name),),
        related=(Related(count.span, "other blocks count here"), *call_sites(store)),
        flows=flows,
        fixes=(_CLEAR_BEFORE,),
    )


def _finding(facts: KernelFacts, found: CrossBlock) -> Finding:
    from ...analyzer.analyses.doubts.registry import OF_WAITS

    location, launch = found.operation.location, found.launch
    related = [] if launch is None else [Related(launch.span, "launched without cooperation")]
    related += call_sites(location)
    return Finding(
        RULE,
        location.span,
        (Part(_message(found)),),
        facts.kernel.label,
        RULE.severity,
        doubts=doubts_about(facts, OF_WAITS, found),
        label="may wait forever",
        evidence=(Fact("wait", found.kind.value), Fact("flag", found.name)),
        related=tuple(related),
        fixes=(_VOLATILE if found.kind.value == "plain-load" else _COOPERATIVE,),
    )


def _message(found: CrossBlock) -> str:
    kind = found.kind.value
    if kind == "grid-sync":
        return "barrier of the whole grid in a kernel that is not launched cooperatively: may hang"
    if kind == "all-blocks":
        return f"spins until all blocks have updated `{found.name}`; they may never be resident"
    if kind == "other-block":
        return f"spins until another block sets `{found.name}`; that block may never be resident"
    return f"spins on a plain load of `{found.name}`, which the compiler may hoist out of the loop"
