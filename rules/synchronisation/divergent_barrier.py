"""
## What it does

Reports a barrier for the whole block (`__syncthreads()` and its voting forms, `block.sync()`,
`bar.sync 0`, and the barriers of grid and cluster) that some threads of a block reach and others do
not, because a branch, a loop or a `switch` before it depends on `threadIdx`. Also barriers of the
grid that some of its blocks do not reach, because a condition depends on `blockIdx`.

## Why is this bad?

A barrier waits for all threads of the block. The CUDA C++ Programming Guide allows it in
conditional code only if the condition is the same for the entire block; otherwise "the code
execution is likely to hang or produce unintended side effects". Some cases hang every time, some
give wrong results, some seem to work until the block size or the compiler changes. Neither nvcc nor
ptxas warns about it.

Where the other threads wait at a barrier of their own, as in warp-specialised kernels, it depends
on the count: the hardware counts arrivals at barrier 0, from wherever they come. Whole warps that
wait equally often on every path continue on today's GPUs, which is a note, since CUDA C++ still
calls it undefined. Where they do not wait equally often, later barriers no longer separate what
they seem to. Lanes of one warp must wait at the same instruction in any case.

## Example

```cuda
if (threadIdx.x < 16) {
    tile[threadIdx.x] += tile[threadIdx.x + 16];
    __syncthreads();
}
```

## Use instead

```cuda
if (threadIdx.x < 16) {
    tile[threadIdx.x] += tile[threadIdx.x + 16];
}
__syncthreads();
```

## Known problems

The condition is evaluated for a whole block: that of the launch in the file, the launch bounds,
`--block`, or 256 threads. Parameters get example values, for instance a size that is not a multiple
of the block; if your program never passes such a size, say so in a suppression. Where the block is
unknown and the size may be chosen to match it (`threadIdx.x < n`, a grid-stride loop with a
barrier), the finding is only possible, and so it is where loads behind the condition compare the
same index with a second size (`i < n ? x[i] : 0`): the first one may be padded. It is also only
possible in PTX where whole warps wait at two barriers with the same number, one on each path: CUDA
C++ forbids this, PTX allows it. A condition on loaded data is reported where each thread loads its
own element from memory that the kernel does not write: two values are named for which two threads
diverge. No kernel can guarantee that a whole block always finds data on the same side; if yours
can, say so in a suppression. Other conditions on data are only possible findings, off by default,
because the block may have agreed on the value through shared memory. Threads that `return` before a
barrier are not reported here (SYN004); where those that miss it have nothing left to do but return,
as behind a guard around the whole kernel, it is what SYN004 is: a warning where they skip stores to
shared memory that are read behind the barrier, else a note.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block, example_numbers
from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import (
    Applicability,
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
from ...analyzer.source.words import plural
from .._shared.places import call_sites, is_loop, on_lines, triple
from .._shared.races import element_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...analyzer.analyses.barriers.barrier_divergence import DivergentBarrier
    from ...analyzer.analyses.conflicts.split_blocks import Witness
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.inter_block.divergent_grids import DivergentGrid
    from ...analyzer.findings.finding import Data
    from ...analyzer.ir.block import Block
    from ...analyzer.source.location import Location

RULE = Rule(
    code="SYN001",
    name="divergent-barrier",
    summary="a barrier that not every thread of the block reaches",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CUDA-1.14", "CWE-821"),
    costly=True,
    judged=("divergent-barrier",),
)


MANY = 4  # barriers after one condition that are reported as one finding
_LINES = 3  # where other threads wait, that are named


_TAKEN = "takes the branch that reaches the barrier"
_SKIPPED = "skips it and never arrives"
_LEFT = "these threads never reach the barrier"  # as SYN004 says


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each barrier that a block can split before."""
    from ...analyzer.analyses.barriers.barrier_divergence import divergent_barriers
    from ...analyzer.analyses.inter_block.divergent_grids import divergent_grids

    for first, *others in _together(facts, divergent_barriers(facts)):
        found = _finding(facts, first)
        places = tuple(Related(_guilty_place(each).span, "and here") for each in others)
        yield replace(found, related=(*found.related, *places))
    for parted in divergent_grids(facts):
        yield _of_the_grid(facts, parted)


def _together(
    facts: KernelFacts, barriers: Iterable[DivergentBarrier]
) -> Iterator[list[DivergentBarrier]]:
    """One by one; those behind one decision together, where they are many, and those that warps
    wait at instead of each other, up to where their paths meet.
    """
    behind: dict[tuple[Block | None, bool, bool, bool], list[DivergentBarrier]] = {}
    for each in barriers:
        place: Block | None = each.edge.branch
        by_count = each.others is not None and not each.parts_warp
        if by_count:
            place = facts.flow.immediate_post_dominator(each.edge.branch)
        behind.setdefault((place, each.definite, by_count, each.meets_by_count), []).append(each)
    for (_, _, by_count, _), together in behind.items():
        if len(together) >= MANY or by_count:
            yield together
        else:
            yield from ([each] for each in together)


def _finding(facts: KernelFacts, found: DivergentBarrier) -> Finding:
    barrier, witness = found.barrier, found.witness
    decision = found.edge.branch.terminator.location.span
    name = barrier.name
    if witness is None:
        message = (
            Part(f"some threads may not reach {name}: "),
            Part(f"the condition before it {_differs(found)}", decision),
        )
    elif witness.data is not None:
        arrives, misses = triple(witness.arrives), triple(witness.misses)
        message = (
            Part(f"thread {arrives} reaches {name} but thread {misses} does not"),
            Part(_when_loaded(witness), decision),
        )
    elif found.meets_by_count:
        threads = f"{witness.arriving:,} of {plural(witness.threads, 'thread')}"
        message = (
            Part(f"{threads} wait at this {name}, the others {_others_place(found)}"),
            Part(_when(witness), decision),
        )
    else:
        reach = "reaches" if witness.arriving == 1 else "reach"
        threads = f"{witness.arriving:,} of {plural(witness.threads, 'thread')}"
        message = (Part(f"only {threads} {reach} {name}"), Part(_when(witness), decision))
    place, severity = _guilty_place(found), _severity(facts, found)
    related = [Related(decision, _decision_label(found))]
    if found.source is not None and found.source.location.span != decision:
        related.append(Related(found.source.location.span, "depends on threadIdx from here"))
    if place is not barrier.location:
        related.append(Related(barrier.location.span, "the barrier"))
    related += call_sites(place)
    return Finding(
        RULE,
        place.span,
        message,
        facts.kernel.label,
        severity,
        doubts=stated(found.doubts, facts.module.unseen),
        label=_label(found),
        evidence=tuple(_evidence(found)),
        assumptions=_assumptions(found),
        related=tuple(related),
        flows=_flows(found),
        fixes=(_fix(found),),
        verify=sanitizer("synccheck"),
        cause=decision if severity is Severity.ERROR else None,
        joins=None if severity is Severity.ERROR else Joins.FILE,
    )


def _severity(facts: KernelFacts, found: DivergentBarrier) -> Severity:
    """As SYN004 has it where the others have left: what matters is whether they are missed."""
    from ...analyzer.analyses.barriers.skipped_work import skips_shared_work

    if found.meets_by_count or (found.leaves_after and not skips_shared_work(facts, found)):
        return Severity.NOTE
    exits = found.others is not None and found.others.leave and not found.parts_warp
    return Severity.WARNING if found.leaves_after or exits else RULE.severity


def _label(found: DivergentBarrier) -> str:
    """What becomes of the other threads."""
    if found.leaves_after:
        return _LEFT
    if found.others is None:
        return "may hang: the other threads never arrive"
    where = f"the other threads wait {_others_place(found)}"
    if found.parts_warp:
        return f"{where}, but the lanes of a warp must wait at one barrier"
    if found.others.as_often:
        return f"{where} as often: GPUs count warps and continue, but CUDA C++ does not allow it"
    if found.others.as_often is None:
        return f"{where}: GPUs continue if it is as often, but CUDA C++ does not allow it"
    if found.others.leave:
        return f"{where}, not as often: sm_70+ continues when they exit, older GPUs may hang"
    return f"{where}, not as often: barriers after these pair up wrongly"


def _others_place(found: DivergentBarrier) -> str:
    """The lines where the other threads wait, with their file where that is another one."""
    assert found.others is not None
    spans = [barrier.location.span for barrier in found.others.barriers]
    return on_lines(spans, found.barrier.location.span.path, _LINES)


def _of_the_grid(facts: KernelFacts, found: DivergentGrid) -> Finding:
    """A barrier that a block of the grid does not reach."""
    decision = found.edge.branch.terminator.location.span
    place = found.barrier.location
    arrives, misses = triple(found.arrives), triple(found.misses)
    name = found.barrier.name
    return Finding(
        RULE,
        place.span,
        (
            Part(f"block {arrives} reaches {name} "),
            Part(f"but block {misses} does not", decision),
        ),
        facts.kernel.label,
        RULE.severity,
        label="may hang: the other blocks never arrive",
        evidence=(Fact("arrives", list(found.arrives)), Fact("misses", list(found.misses))),
        assumptions=(assumed_block(found.launch),),
        related=(Related(decision, "this condition differs between blocks"), *call_sites(place)),
        flows=(
            ThreadFlow(
                f"block {arrives}",
                (
                    Step(decision, _TAKEN),
                    Step(place.span, "waits for all other blocks"),
                ),
            ),
            ThreadFlow(f"block {misses}", (Step(decision, _SKIPPED),)),
        ),
        fixes=(Fix(f"let every block reach `{name}`; keep only the work in the conditional code"),),
        verify=sanitizer("synccheck"),
    )


def _guilty_place(found: DivergentBarrier) -> Location:
    """The barrier, or the call that leads to it when the decision is the caller's."""
    places = [found.barrier.location, *found.barrier.location.call_chain()]
    depth = len(list(found.edge.branch.terminator.location.call_chain()))
    return places[max(0, len(places) - 1 - depth)]


def _when(witness: Witness) -> str:
    given = [f"{name} = {value}" for name, value in (*_data(witness), *witness.assumed)]
    when = f" when {', '.join(given)}" if given else ""
    return f"{when} in iteration {witness.iteration} of the loop" if witness.iteration else when


def _when_loaded(witness: Witness) -> str:
    """The numbers that the two threads load, where they have names."""
    if _data(witness):
        return _when(witness)
    others = " and".join(_when(witness).split(" when", 1))
    return f" when they load different data{others}"


def _data(witness: Witness) -> tuple[tuple[str, int], ...]:
    """What the two threads load."""
    return tuple((element_name(e.item, e.offset), e.value) for e in witness.data or ())


def _decision_label(found: DivergentBarrier) -> str:
    word = "loop condition" if is_loop(found.edge.branch.terminator) else "condition"
    return f"this {word} {_differs(found)}"


def _differs(found: DivergentBarrier) -> str:
    """Whether lanes of a warp disagree, or whole warps."""
    from ...analyzer.analyses.warp_evaluation.uniformity import Uniformity

    return f"differs between {'warps' if found.level is Uniformity.WARP else 'threads'}"


def _evidence(found: DivergentBarrier) -> Iterator[Fact]:
    witness = found.witness
    yield Fact("uniformity", str(found.level))
    if witness is not None:
        yield Fact("arrives", list(witness.arrives))
        yield Fact("misses", list(witness.misses))
        if witness.data is None:
            yield Fact("threads_arriving", witness.arriving)
        yield Fact("threads_in_block", witness.threads)
        yield Fact("given", dict((*_data(witness), *witness.assumed)))
    if found.others is not None:
        lines: list[Data] = [barrier.location.span.line for barrier in found.others.barriers]
        yield Fact("others_wait", lines)
        yield Fact("wait_as_often", found.others.as_often)
    if found.leaves_after:
        yield Fact(
            "others_leave",
            True,
            "the other threads have already exited; on sm_70+ this may not hang",
        )


def _flows(found: DivergentBarrier) -> tuple[ThreadFlow, ...]:
    """The two threads of the witness, from the decision that parts them."""
    witness = found.witness
    if witness is None:
        return ()
    decision = found.edge.branch.terminator.location.span
    barrier = found.barrier.location.span
    arrives = (Step(decision, _TAKEN), Step(barrier, "arrives and waits for the others"))
    skips = "skips it and exits" if found.leaves_after else _SKIPPED
    if found.others is not None:
        skips = f"skips it and waits {_others_place(found)}"
    misses = (Step(decision, skips),)
    return (
        ThreadFlow(f"thread {triple(witness.arrives)}", arrives),
        ThreadFlow(f"thread {triple(witness.misses)}", misses),
    )


def _assumptions(found: DivergentBarrier) -> tuple[Assumption, ...]:
    launch = found.launch
    witness = found.witness
    if witness is None:
        return (assumed_block(launch),)
    numbers = (*_data(witness), *witness.assumed)
    return (assumed_block(launch), *example_numbers(numbers, witness.passed, launch.passed_by))


def _fix(found: DivergentBarrier) -> Fix:
    name = found.barrier.name
    if is_loop(found.edge.branch.terminator):
        title = (
            "run the same number of iterations in every thread: loop over bounds that are uniform "
            "in the block, and guard the work in the body with an `if`"
        )
    elif found.others is not None:
        title = (
            f"let all threads wait at one `{name}` after the branches, or at a barrier made for "
            "several places: `cuda::barrier`, or `bar.sync` with a number and a count"
        )
    else:
        title = f"move `{name}` out of the conditional code; keep only the work inside"
    return Fix(title, Applicability.ADVICE)
