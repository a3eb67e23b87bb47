"""
## What it does

Finds launches whose block is no multiple of a warp, so that lanes of the last warp never work.

## Why is this bad?

Threads are scheduled in warps of 32. A block of 100 threads takes four warps, with all their
registers and slots, and 28 of the 128 lanes idle through every instruction of the kernel.

## Example

```cuda
dim3 block(10, 10);                       // 100 threads in 4 warps
blur<<<grid, block>>>(image);
```

## Use instead

```cuda
dim3 block(32, 4);
blur<<<grid, block>>>(image);
```

## Known problems

Grids of a single block and of fewer than 1,024 threads are not reported: such a launch has other
problems, or none. Neither is a block where less than one lane in ten idles.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.hardware.architectures import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.kernel import Launch

RULE = Rule(
    code="LNC002",
    name="block-not-warp-multiple",
    summary="a block that leaves lanes of its last warp idle",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
)

_LEAST_IDLE = 0.1
_FEW_THREADS = 1024  # in the whole grid: such a launch is no matter of speed


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each launch that wastes lanes."""
    for launch in facts.kernel.launches:
        threads = _threads(launch)
        if threads is None:
            continue
        lanes = -(-threads // WARP_SIZE) * WARP_SIZE
        idle = lanes - threads
        if idle < _LEAST_IDLE * lanes:
            continue
        share = f"{idle / lanes:.0%}".replace("%", " %")
        yield Finding(
            RULE,
            launch.span,
            (Part(f"blocks of {threads} threads leave {idle} of {lanes} lanes idle ({share})"),),
            facts.kernel.instance or facts.kernel.name,
            RULE.severity,
            label=f"{lanes // WARP_SIZE} warps, {lanes} lanes",
            evidence=(
                Fact("threads", threads),
                Fact("idle_lanes", idle),
                Fact("block", [*launch.block]),
            ),
            related=(Related(facts.kernel.span, "the kernel"),),
            fixes=(Fix(f"use a multiple of {WARP_SIZE} threads, such as {lanes}, with a guard"),),
            verify="ncu --section SourceCounters: average threads per warp",
        )


def _threads(launch: Launch) -> int | None:
    """The threads of a block; None when not known, or when the launch is not worth a word."""
    if None in launch.block or launch.grid == (1, 1, 1):
        return None
    threads = math.prod(size or 0 for size in launch.block)
    if None not in launch.grid:
        blocks = math.prod(size or 0 for size in launch.grid)
        if blocks * threads < _FEW_THREADS:
            return None
    return threads if threads > 1 else None
