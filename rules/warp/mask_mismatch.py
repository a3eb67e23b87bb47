"""
## What it does

Reports shuffles, votes, reductions and `__syncwarp` whose member mask does not match the lanes that
execute them: a lane that is not in its own mask, a lane that the mask names but that takes another
branch, a shuffle in which every lane reads from a lane that does not participate, a width that is
not a power of two up to 32.

## Why is this bad?

"All non-exited threads named in mask must execute the same intrinsic with the same mask, or the
result is undefined", and each lane must have its own bit set (CUDA C++ Programming Guide, "Warp
Shuffle Functions"). Since Volta the lanes of a warp no longer run in lockstep, so a full mask under
a condition on the lane gives wrong sums or hangs. nvcc does not warn about it. If the other lanes
merely run on to the end of the kernel, today's GPUs wait until they exit: that is a warning only.

## Example

```cuda
if (threadIdx.x < 16)
    v += __shfl_down_sync(0xffffffff, v, 8);
__syncwarp();
```

## Use instead

```cuda
unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 16);
if (threadIdx.x < 16)
    v += __shfl_down_sync(mask, v, 8);
__syncwarp();
```

## Known problems

A size that the launch does not give gets an example value; if your program never passes such a
size, say so in a suppression. A mask may name lanes that return before the call
(`if (i >= n) return;`), and those that a size or data sends past it to the end of the kernel. A
lane at the edge that reads from a missing lane is not reported, since its result is usually
discarded. Masks from a vote on data, or from a vote that not the whole warp executes, and coalesced
groups are not checked. Padded sizes (`i < n ? in[i] : 0` after `if (i >= padded) return;`) and
groups whose size the host chooses are assumed to be whole warps: such findings are only possible,
off by default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block, example_numbers
from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import (
    Assumption,
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Joins, Rule
from ...analyzer.findings.verifying import sanitizer
from ...analyzer.findings.witness import Step, ThreadFlow
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.warp_intrinsics.mismatches import Mismatch

RULE = Rule(
    code="WRP002",
    name="mask-mismatch",
    summary="a member mask that does not match the lanes that execute the operation",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-821",),
    costly=True,
    judged=("mask",),
    joins=Joins.FUNCTION,
)
_FIXES = {
    "width": "use a width of 2, 4, 8, 16 or 32",
    "excluded": "include every executing lane in the mask",
    "absent": "compute the mask with `__ballot_sync` before the branch, or move the call out of it",
    "runs on": "name the lanes that execute it, or move the call out of the branch",
    "source": "let every lane of the warp participate, with a neutral value where it has no data",
}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each warp operation whose member mask does not match its lanes."""
    from ...analyzer.analyses.warp_intrinsics.warp_members import mismatches

    for found in once_each(mismatches(facts), lambda found: found.operation.location.span):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: Mismatch) -> Finding:
    location = found.operation.location
    decision = None if found.edge is None else found.edge.branch.terminator.location.span
    related = [] if decision is None else [Related(decision, "the lanes diverge here")]
    related += call_sites(location)
    return Finding(
        RULE,
        location.span,
        (Part(_message(found)), Part(_when(found))),
        facts.kernel.label,
        Severity.WARNING if found.kind.value == "runs on" else RULE.severity,
        label=_LABELS[found.kind.value],
        evidence=tuple(_evidence(found)),
        assumptions=_assumptions(found),
        related=tuple(related),
        flows=_flows(found),
        fixes=(Fix(_FIXES[found.kind.value]),),
        verify=sanitizer("synccheck"),
        doubts=stated(found.doubts, facts.module.unseen),
    )


_LABELS = {
    "width": "invalid width",
    "excluded": "executed by a lane that is not in its mask",
    "absent": "waits for lanes that take another branch",
    "runs on": "waits until the other lanes exit",
    "source": "the source lane does not participate: undefined value",
}


def _message(found: Mismatch) -> str:
    executing = lanes_text(found.executing)
    one = found.executing & (found.executing - 1) == 0
    alone = found.lanes & (found.lanes - 1) == 0
    other = lanes_text(found.lanes)
    if found.kind.value == "width":
        return f"the width {found.width} is not a power of two up to 32"
    if found.kind.value == "excluded":
        does, them = ("executes", "it") if alone else ("execute", "them")
        return f"{other} {does} this with mask 0x{found.mask:x}, which excludes {them}"
    if found.kind.value in ("absent", "runs on"):
        does = "executes" if one else "execute"
        return f"mask 0x{found.mask:x} names {other}, but only {executing} {does} this"
    reads, does = "reads" if one else "read", "does" if alone else "do"
    return f"{executing} {reads} from {other}, which {does} not participate"


def lanes_text(mask: int) -> str:
    """`lanes 0-7, 16`, `lane 3`."""
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    runs: list[list[int]] = []
    for lane in lanes:
        if runs and lane == runs[-1][-1] + 1:
            runs[-1].append(lane)
        else:
            runs.append([lane])
    words = [f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    return f"lane{'s' * (len(lanes) != 1)} {', '.join(words)}"


def _when(found: Mismatch) -> str:
    given = [f"{name} = {value}" for name, value in found.assumed]
    if found.iteration:
        given.append(f"in iteration {found.iteration} of the loop")
    return f" when {', '.join(given)}" if given else ""


def _evidence(found: Mismatch) -> Iterator[Fact]:
    yield Fact("mismatch", found.kind.value)
    if found.kind.value == "width":
        yield Fact("width", found.width)
        return
    yield Fact("mask", f"0x{found.mask:08x}")
    yield Fact("executing", f"0x{found.executing:08x}")
    yield Fact("lanes", f"0x{found.lanes:08x}")
    yield Fact("warp", found.warp)


def _assumptions(found: Mismatch) -> tuple[Assumption, ...]:
    if found.launch is None:
        return ()
    given = example_numbers(found.assumed)
    return (assumed_block(found.launch), *given)


def _flows(found: Mismatch) -> tuple[ThreadFlow, ...]:
    """A lane that executes it, and one that it waits for or reads from."""
    if found.kind.value not in ("absent", "runs on", "source"):
        return ()
    place = found.operation.location.span
    needs = "reads from" if found.kind.value == "source" else "waits for"
    here = (Step(place, f"executes it and {needs} the other lane"),)
    where = place if found.edge is None else found.edge.branch.terminator.location.span
    there = (Step(where, "takes another branch and does not participate"),)
    first, other = ((mask & -mask).bit_length() - 1 for mask in (found.executing, found.lanes))
    return (ThreadFlow(f"lane {first}", here), ThreadFlow(f"lane {other}", there))
