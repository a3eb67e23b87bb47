"""
## What it does

Reports a decision that lets some threads of a block leave the kernel, when the others meet at a
barrier afterwards.

## Why is this bad?

Up to sm_60 such a barrier waits for threads that are gone, or lets the others through too early.
From sm_70 on it waits for the threads that are left, so the kernel does not hang; but the threads
that left do not do their share of the work between the barriers either: what they were to load into
shared memory stays as it was. The same source hangs on other makers' GPUs.

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

Whether the threads that are left read what the others did not write is not looked at. PTX does not
tell an early return from a guard around all that follows: both are reported there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block, example_numbers
from ...analyzer.findings.finding import Certainty, Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.barriers.barrier_divergence import DivergentBarrier, Witness
    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="SYN004",
    name="barrier-after-partial-exit",
    summary="some threads of a block leave the kernel before a barrier",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    references=("CUDA-1.14",),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each decision that lets a part of the block leave, with its next barrier."""
    from ...analyzer.analyses.barriers.barrier_divergence import partial_exits

    for found in partial_exits(facts):
        assert found.witness is not None
        yield _finding(facts, found, found.witness)


def _finding(facts: KernelFacts, found: DivergentBarrier, witness: Witness) -> Finding:
    decision = found.edge.branch.terminator.location.span
    leaving = witness.threads - witness.arriving
    given = [f"{name} = {value}" for name, value in witness.assumed]
    when = f" when {', '.join(given)}" if given else ""
    name = found.barrier.name
    numbers = example_numbers(witness.assumed)
    return Finding(
        RULE,
        decision,
        (Part(f"{leaving} of {witness.threads} threads of the block leave before {name}{when}"),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="these threads do not come to the barrier",
        evidence=(
            Fact("threads_leaving", leaving),
            Fact("threads_in_block", witness.threads),
            Fact("stays", list(witness.arrives)),
            Fact("leaves", list(witness.misses)),
            Fact("from_sm_70", True, "from sm_70 on it waits for those that are left"),
        ),
        assumptions=(assumed_block(found.launch), *numbers),
        related=(Related(found.barrier.location.span, "the barrier"),),
        fixes=(Fix("let every thread reach the barrier, and guard the work instead"),),
        certainty=Certainty.DEFINITE if found.definite else Certainty.POSSIBLE,
    )
