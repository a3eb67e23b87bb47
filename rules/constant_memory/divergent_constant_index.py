"""
## What it does

Finds loads from `__constant__` memory whose index differs between lanes, and counts the different
words that one warp reads.

## Why is this bad?

The constant cache broadcasts one address per request: if all lanes of a warp read the same word, it
is as fast as a register. Different words are served serially: 32 lanes with 32 indices take 32
requests.

Nsight Compute counts the additional requests as `sm__idc_divergent_instruction_replays`.

## Example

```cuda
__constant__ float table[256];
...
sum += table[threadIdx.x] * x;          // 32 words per warp
```

## Use instead

```cuda
__device__ float table[256];
...
sum += __ldg(&table[threadIdx.x]) * x;  // 4 sectors per warp; or copy it to shared memory
```

## Known problems

Up to three words per warp are accepted, and so is copying a table to shared memory. A
data-dependent index, as in a cipher's table, may in practice be the same in all lanes: such a
finding is only `possible`, and so is a load outside of all loops in a kernel whose loops access
memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.findings.verifying import counters
from .._shared.accesses import (
    array_of,
    assumptions_of,
    object_part,
    origin_facts,
    place_of,
    related_places,
)
from .._shared.doubts import doubts_about
from .._shared.gains import replay_gain, stated
from .._shared.places import once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.memory_traffic.constant_reads import ConstantRead
    from ...analyzer.findings.gain import Gain

RULE = Rule(
    code="CON001",
    name="divergent-constant-index",
    summary="lanes of a warp read different words of constant memory, which are served serially",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    judged=("constant-index",),
)

FEWEST_WORDS = 4  # that are worth speaking of


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each place where lanes read different words of constant memory."""
    from ...analyzer.analyses.memory_traffic.constant_reads import divergent_reads

    reads = divergent_reads(facts)
    worth = (each for each in reads if not each.words or each.worst >= FEWEST_WORDS)
    for read in once_each(worth, place_of):
        yield _finding(facts, read)


def _finding(facts: KernelFacts, read: ConstantRead) -> Finding:
    from ...analyzer.analyses.doubts.costs.candidates import ConstantCandidate
    from ...analyzer.analyses.doubts.doubts_of_costs import OF_CONSTANTS

    operation = read.access
    count = f"{read.worst} different words" if read.words else "a data-dependent word"
    who = "a warp reads" if read.words else "each lane reads"
    serially = ", which are served serially" if read.words else ": different words serialise"
    message = (
        Part(f"{who} {count} of "),
        object_part(read, "constant memory"),
        Part(serially),
    )
    return Finding(
        RULE,
        operation.location.span,
        message,
        facts.kernel.label,
        RULE.severity,
        label=f"{read.worst} requests, ideal 1" if read.words else "the index differs by lane",
        evidence=tuple(_evidence(read)),
        assumptions=tuple(assumptions_of(read)),
        related=related_places(read),
        array=array_of(read),
        layout="tables that lanes read apart",
        gain=stated(_gain(facts, read)),
        fixes=(
            Fix(
                "keep the table in global memory and read it with `__ldg()`, or copy it to shared "
                "memory first"
            ),
        ),
        verify=counters("sm__idc_divergent_instruction_replays.sum"),
        doubts=doubts_about(facts, OF_CONSTANTS, ConstantCandidate(facts, read)),
    )


def _gain(facts: KernelFacts, read: ConstantRead) -> Gain | None:
    mean = sum(read.words) / len(read.words) if read.words else 1.0
    return replay_gain(facts, read, mean - 1) if mean > 1 else None


def _evidence(read: ConstantRead) -> Iterator[Fact]:
    if read.words:
        mean = sum(read.words) / len(read.words)
        yield Fact("words", read.worst)
        text = f"{mean:.3g} words on average over all warps and iterations counted"
        yield Fact("average_words", round(mean, 2), None if mean == read.worst else text)
    yield from origin_facts(read)
