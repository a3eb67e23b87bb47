"""
## What it does

Reports a barrier of the whole block (`__syncthreads()` and its voting forms, `block.sync()`,
`bar.sync 0`, and the barriers of the grid and the cluster) that some threads of a block reach and
others do not, because a branch, a loop or a `switch` before it depends on `threadIdx`. And barriers
of the grid that some of its blocks do not reach, because a decision depends on `blockIdx`.

## Why is this bad?

A barrier waits for all threads of the block. The CUDA C++ Programming Guide allows it in
conditional code only if the condition is the same for the entire block; otherwise "the code
execution is likely to hang or produce unintended side effects". Some cases hang every time, some
give wrong results, some seem to work until the block size or the compiler changes. Neither nvcc nor
ptxas says a word about it.

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

The finding is shown by evaluating the decision for a whole block: of the launch in the file, the
launch bounds, `--block`, or 256 threads. Parameters are given numbers, for instance a size that is
no multiple of the block; if your program never passes such a size, say so in a suppression, or in
its name: one that is called rounded, padded or aligned is no example. Where nothing tells the block
and the size may be made for it (`threadIdx.x < n`, a loop in steps of the grid that has a barrier),
the finding is only possible. So it is in PTX where whole warps wait at two barriers of one number,
one for each way: what CUDA C++ forbids there, PTX allows.
A decision on loaded data is reported where each thread loads from a place of its own, out of memory
that the kernel does not write: two values are given for which two threads go apart. That a whole
block always finds data on the same side is nothing that a kernel can promise; if yours does, say so
in a suppression. Other decisions on data are only possible, and off by default: what a block agrees
on may come from shared memory. Threads that `return` before a barrier are not reported here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block, example_numbers
from ...analyzer.findings.finding import (
    Applicability,
    Assumption,
    Certainty,
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.witness import Step, ThreadFlow
from .._shared.places import call_sites
from .._shared.races import element_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...analyzer.analyses.barriers.barrier_divergence import DivergentBarrier, Witness
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.inter_block.divergent_grids import DivergentGrid
    from ...analyzer.source.location import Location

RULE = Rule(
    code="SYN001",
    name="divergent-barrier",
    summary="a barrier that not every thread of the block reaches",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CUDA-1.14", "CWE-821"),
    costly=True,
)


MANY = 4  # barriers behind one decision that one finding tells of


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each barrier that a block can split before."""
    from ...analyzer.analyses.barriers.barrier_divergence import divergent_barriers
    from ...analyzer.analyses.inter_block.divergent_grids import divergent_grids

    for first, *others in _by_decision(divergent_barriers(facts)):
        found = _finding(facts, first)
        places = tuple(Related(_guilty_place(each).span, "and here") for each in others)
        yield replace(found, related=(*found.related, *places))
    for parted in divergent_grids(facts):
        yield _of_the_grid(facts, parted)


def _by_decision(barriers: Iterable[DivergentBarrier]) -> Iterator[list[DivergentBarrier]]:
    """One by one; those behind one decision together, where they are many."""
    behind: dict[object, list[DivergentBarrier]] = {}
    for each in barriers:
        behind.setdefault((each.edge.branch, each.definite), []).append(each)
    for together in behind.values():
        if len(together) >= MANY:
            yield together
        else:
            yield from ([each] for each in together)


def _finding(facts: KernelFacts, found: DivergentBarrier) -> Finding:
    barrier, witness = found.barrier, found.witness
    decision = found.edge.branch.terminator.location.span
    name = barrier.name
    if witness is None:
        message = (
            Part(f"{name} may not be reached by every thread of the block: "),
            Part("the decision before it varies between threads", decision),
        )
    elif witness.data is not None:
        names = f"{_thread(witness.arrives)} but not by thread {_thread(witness.misses)}"
        message = (
            Part(f"{name} is reached by thread {names}"),
            Part(_when(witness) or " when they load different data", decision),
        )
    else:
        message = (
            Part(f"{name} is reached by {witness.arriving} of {witness.threads} threads", None),
            Part(f" of the block{_when(witness)}", decision),
        )
    place = _guilty_place(found)
    related = [Related(decision, _decision_label(found))]
    if found.source is not None and found.source.location.span != decision:
        related.append(Related(found.source.location.span, "the thread index enters here"))
    if place is not barrier.location:
        related.append(Related(barrier.location.span, "the barrier"))
    related += call_sites(place)
    return Finding(
        RULE,
        place.span,
        message,
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        certainty=Certainty.DEFINITE if found.definite else Certainty.POSSIBLE,
        label="not every thread gets here",
        evidence=tuple(_evidence(found)),
        assumptions=_assumptions(found),
        related=tuple(related),
        flows=_flows(found),
        fixes=(_fix(found),),
        verify="compute-sanitizer --tool synccheck",
    )


def _of_the_grid(facts: KernelFacts, found: DivergentGrid) -> Finding:
    """A barrier that a block of the grid does not reach."""
    decision = found.edge.branch.terminator.location.span
    place = found.barrier.location
    arrives, misses = _thread(found.arrives), _thread(found.misses)
    name = found.barrier.name
    return Finding(
        RULE,
        place.span,
        (
            Part(f"{name} is reached by block {arrives} of the grid"),
            Part(f" but not by block {misses}", decision),
        ),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="not every block gets here",
        evidence=(Fact("arrives", list(found.arrives)), Fact("misses", list(found.misses))),
        assumptions=(assumed_block(found.launch),),
        related=(Related(decision, "blocks part here"), *call_sites(place)),
        flows=(
            ThreadFlow(
                f"block {arrives}",
                (
                    Step(decision, "takes the way to the barrier"),
                    Step(place.span, "waits for all others"),
                ),
            ),
            ThreadFlow(f"block {misses}", (Step(decision, "takes the other way"),)),
        ),
        fixes=(Fix("let every block come to the barrier; keep only the work inside"),),
        verify="compute-sanitizer --tool synccheck",
    )


def _guilty_place(found: DivergentBarrier) -> Location:
    """The barrier, or the call that leads to it when the decision is the caller's."""
    places = [found.barrier.location, *found.barrier.location.call_chain()]
    depth = len(list(found.edge.branch.terminator.location.call_chain()))
    return places[max(0, len(places) - 1 - depth)]


def _when(witness: Witness) -> str:
    given = [f"{name} = {value}" for name, value in (*_data(witness), *witness.assumed)]
    if witness.iteration:
        given.append(f"in round {witness.iteration} of the loop")
    return f" when {', '.join(given)}" if given else ""


def _data(witness: Witness) -> tuple[tuple[str, int], ...]:
    """What the two threads load."""
    return tuple((element_name(e.item, e.offset), e.value) for e in witness.data or ())


def _decision_label(found: DivergentBarrier) -> str:
    construct = getattr(found.edge.branch.terminator, "construct", "switch")
    word = {"for": "loop test", "while": "loop test", "do": "loop test"}.get(construct, "decision")
    return f"this {word} is {found.level}"


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
    if found.both_arms:
        yield Fact(
            "both_arms",
            True,
            "the other way has a barrier of its own: two barriers are not one",
        )
    if found.leaves_after:
        yield Fact(
            "others_leave",
            True,
            "the other threads have left the kernel by then: from sm_70 on this need not hang",
        )


def _flows(found: DivergentBarrier) -> tuple[ThreadFlow, ...]:
    """The two threads of the witness, from the decision that parts them."""
    witness = found.witness
    if witness is None:
        return ()
    decision = found.edge.branch.terminator.location.span
    barrier = found.barrier.location.span
    arrives = (
        Step(decision, "takes the way to the barrier"),
        Step(barrier, "arrives and waits for the others"),
    )
    misses = (Step(decision, "takes the other way and does not arrive"),)
    return (
        ThreadFlow(f"thread {_thread(witness.arrives)}", arrives),
        ThreadFlow(f"thread {_thread(witness.misses)}", misses),
    )


def _thread(thread: tuple[int, int, int]) -> str:
    return f"({', '.join(map(str, thread))})"


def _assumptions(found: DivergentBarrier) -> tuple[Assumption, ...]:
    launch = found.launch
    witness = found.witness
    given = example_numbers((*_data(witness), *witness.assumed) if witness is not None else ())
    return (assumed_block(launch), *given)


def _fix(found: DivergentBarrier) -> Fix:
    construct = getattr(found.edge.branch.terminator, "construct", "switch")
    if construct in ("for", "while", "do"):
        title = (
            "let every thread run the same number of rounds: make the loop's bounds the same for "
            "the block and guard the work inside with an if"
        )
    elif found.both_arms:
        title = "replace the barriers in the two arms by one barrier behind the branch"
    else:
        title = "move the barrier out of the conditional code; keep only the work inside"
    return Fix(title, Applicability.ADVICE)
