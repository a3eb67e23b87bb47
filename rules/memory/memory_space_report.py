"""
## What it does

Reports for every variable of a kernel the memory it lives in (register, local, shared, global,
constant, parameter) and why. Not a defect: select it, or use `warplint inspect memory-spaces FILE`,
which prints the whole table with scope, lifetime and caching.

## Why is this bad?

It is not. But a variable in another space than its author believes is behind many slow kernels: an
array that looks local to the chip lives in local memory, which is off the chip, and a pointer's own
space says nothing about what it points to.

## Example

```cuda
__global__ void kernel(float* out, int j) {
    float history[64];               // local memory: indexed with j, it has no registers
    for (int i = 0; i < 64; ++i) history[i] = out[i];
    out[0] = history[j];
}
```

## Use instead

```cuda
__global__ void kernel(float* out, int j) {
    __shared__ float history[64];    // on the chip, one for the block
    if (threadIdx.x < 64) history[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[0] = history[j];
}
```

## Known problems

Arrays are reported as local memory even when the compiler will keep them in registers, which it
does for constant indices after unrolling. Registers that ptxas spills are not foreseen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Part, Severity
from ...analyzer.findings.rule import Category, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="MEM001",
    name="memory-space-report",
    summary="where each variable lives, and why",
    category=Category.REPORT,
    severity=Severity.NOTE,
    default=False,
)


def _words(space: str) -> str:
    return {"register": "registers", "param": "parameter memory"}.get(space, f"{space} memory")


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One note per variable that has a place in the source."""
    from ...analyzer.analyses.memory_spaces import describe

    for row in describe(facts.kernel, facts.options.arch):
        if row.span is None:
            continue
        size = "size not known" if row.bytes is None else f"{row.bytes} bytes per {row.per}"
        yield Finding(
            RULE,
            row.span,
            (
                Part(row.name, row.span),
                Part(f" is in {_words(row.space)}, {size}"),
            ),
            facts.kernel.instance or facts.kernel.name,
            RULE.severity,
            label=row.space,
            evidence=(
                Fact("space", row.space),
                Fact("type", row.type),
                Fact("bytes", row.bytes),
                Fact("per", row.per),
                Fact("located", row.located, f"located {row.located}, cached: {row.cached}"),
                Fact("cached", row.cached),
                Fact("scope", row.scope, f"scope: {row.scope}, lifetime: {row.lifetime}"),
                Fact("lifetime", row.lifetime),
                Fact("why", row.why, f"why: {row.why}"),
            ),
        )
