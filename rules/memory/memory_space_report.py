"""
## What it does

Reports the memory space of every variable of a kernel (register, local, shared, global, managed,
constant, parameter, texture) and why it is there, and what every pointer may point to. Not a
defect: select the rule, or use `warplint inspect memory-spaces FILE`, which prints the whole table
with scope, lifetime and caching on the architecture, as text, JSON or Markdown.

## Why is this bad?

It is not. But many kernels are slow because a variable is in a different memory space than its
author believes: an array that looks on-chip is in local memory, which is off-chip, and the space of
a pointer says nothing about what it points to.

## Example

```cuda
__global__ void kernel(float* out, int j) {
    float history[128];              // local memory: registers cannot be indexed with j
    for (int i = 0; i < 128; ++i) history[i] = out[i];
    out[0] = history[j];
}
```

## Use instead

```cuda
__global__ void kernel(float* out, int j) {
    __shared__ float history[128];   // on-chip, one per block
    if (threadIdx.x < 128) history[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[0] = history[j];
}
```

## Known problems

Which small arrays the compiler keeps in registers was measured with one compiler; for sizes at
which its decisions varied the report says "local or register". Spills by ptxas are not predicted:
`-Xptxas -v` prints the stack frame and the spills of the real build. PTX `.local` alone does not
mean local memory, since ptxas promotes such arrays to registers too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.storage.memory_spaces import VariableReport

RULE = Rule(
    code="MEM001",
    name="memory-space-report",
    summary="the memory space of each variable, and why it is there",
    category=Category.REPORT,
    severity=Severity.NOTE,
    default=False,
)


def _words(space: str) -> str:
    known = {"register": "registers", "param": "parameter memory"}
    if space == "local or register":
        return "local memory or registers"
    return known.get(space, f"{space} memory")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One note per variable that has a place in the source."""
    from ...analyzer.analyses.storage.memory_spaces import describe

    for row in describe(facts):
        if row.span is None:
            continue
        known = row.bytes is not None
        size = f"{plural(row.bytes or 0, 'byte')} per {row.per}" if known else "size unknown"
        yield Finding(
            RULE,
            row.span,
            (
                Part(row.name, row.span),
                Part(f" is in {_words(row.space)}, {size}"),
            ),
            facts.kernel.label,
            RULE.severity,
            label=row.space,
            evidence=tuple(_evidence(row)),
        )


def _evidence(row: VariableReport) -> Iterator[Fact]:
    yield Fact("space", row.space)
    yield Fact("type", row.type)
    yield Fact("bytes", row.bytes)
    yield Fact("per", row.per)
    yield Fact("located", row.located, f"located {row.located}, cached: {row.cached}")
    yield Fact("cached", row.cached)
    yield Fact("scope", row.scope, f"scope: {row.scope}, lifetime: {row.lifetime}")
    yield Fact("lifetime", row.lifetime)
    if row.points_to is not None:
        places = [str(item) for item in row.points_to]
        yield Fact("points_to", [*places], f"may point to {' or '.join(places)}")
    yield Fact("why", row.why, row.why)
