"""
## What it does

Reports a condition on which some threads of a block exit the kernel while the others go on to a
barrier.

## Why is this bad?

Up to sm_60 such a barrier waits for threads that have exited, or releases the others too early.
From sm_70 on it waits only for the remaining threads, so the kernel does not hang. But the threads
that exited no longer do their share of the work between barriers: the elements that they should
have loaded into shared memory stay unwritten. On GPUs of other vendors the same source hangs.

## Example

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i >= n) return;
tile[threadIdx.x] = in[i];
__syncthreads();
out[i] = tile[255 - threadIdx.x];
```

## Use instead

```cuda
int i = blockIdx.x * blockDim.x + threadIdx.x;
tile[threadIdx.x] = i < n ? in[i] : 0.0f;
__syncthreads();
if (i < n) out[i] = tile[255 - threadIdx.x];
```

## Known problems

Where nothing is stored in shared memory before the barrier that is read after it, the threads that
exited skip no work that others need: the finding is a note, and none where SYN005 has the barrier
removed. Which elements are read is not checked.
In PTX an early return looks the same as a guard around the rest of the kernel: both are reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block, example_numbers
from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Joins, Rule
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.barrier_divergence import DivergentBarrier
    from ...analyzer.analyses.conflicts.split_blocks import Witness
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="SYN004",
    name="barrier-after-partial-exit",
    summary="some threads of a block exit before a barrier that the others reach",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    references=("CUDA-1.14",),
    costly=True,
    joins=Joins.FILE,
    judged=("partial-exit",),
)
_SINCE_VOLTA = "sm_70+ waits only for the remaining threads; older GPUs may hang"


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each decision that lets a part of the block leave, with its next barrier."""
    from ...analyzer.analyses.barriers.barrier_divergence import partial_exits
    from ...analyzer.analyses.barriers.skipped_work import skips_shared_work

    exits = [(found, skips_shared_work(facts, found)) for found in partial_exits(facts)]
    needed = all(skips for _, skips in exits)
    removable = set() if needed else {each.barrier for each in facts.redundant_barriers}
    for found, skips in exits:
        assert found.witness is not None
        if skips or found.barrier not in removable:
            yield _finding(facts, found, found.witness, RULE.severity if skips else Severity.NOTE)


def _finding(
    facts: KernelFacts, found: DivergentBarrier, witness: Witness, severity: Severity
) -> Finding:
    decision = found.edge.branch.terminator.location.span
    leaving = witness.threads - witness.arriving
    given = [f"{name} = {value}" for name, value in witness.assumed]
    when = f" when {', '.join(given)}" if given else ""
    exits = "exits" if leaving == 1 else "exit"
    threads = plural(witness.threads, "thread")
    text = f"{leaving:,} of {threads} {exits} before {found.barrier.name}{when}"
    numbers = example_numbers(witness.assumed, witness.passed, found.launch.passed_by)
    return Finding(
        RULE,
        decision,
        (Part(text),),
        facts.kernel.label,
        severity,
        doubts=stated(found.doubts, facts.module.unseen),
        label="these threads never reach the barrier",
        evidence=(
            Fact("threads_leaving", leaving),
            Fact("threads_in_block", witness.threads),
            Fact("stays", list(witness.arrives)),
            Fact("leaves", list(witness.misses)),
            Fact("from_sm_70", True, _SINCE_VOLTA),
        ),
        assumptions=(assumed_block(found.launch), *numbers),
        related=(Related(found.barrier.location.span, "the barrier"),),
        fixes=(Fix("let every thread reach the barrier: put the work in an `if`, do not return"),),
    )
