"""
## What it does

Finds launches whose block size is not a multiple of the warp size, so that lanes of the last warp
are always inactive.

## Why is this bad?

Threads are scheduled in warps of 32. A block of 100 threads occupies four warps, with all their
registers and slots, and 28 of the 128 lanes are inactive in every instruction of the kernel.

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
problems, or none. Neither are blocks with less than a tenth of their lanes inactive, blocks of up
to eight threads, launches that are made with several sizes, whole warps among them, and instances
of a template that has others for larger blocks: the host chooses by the size of its data.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule
from ...analyzer.findings.verifying import section
from ...analyzer.hardware.architectures import WARP_SIZE
from ...analyzer.source.words import percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.kernel import Launch
    from ...analyzer.source.text import Span

RULE = Rule(
    code="LNC002",
    name="block-not-warp-multiple",
    summary="a block size that leaves lanes of the last warp inactive",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    inputs=frozenset({Input.CUDA}),
    joins=Joins.FUNCTION,
)

_LEAST_IDLE = 0.1
_NOT_FOR_SPEED = 8  # threads: smaller blocks are those of tests
_FEW_THREADS = 1024  # in the whole grid: such a launch is no matter of speed


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each launch that wastes lanes."""
    swept = _swept(facts.kernel.launches)
    for launch in facts.kernel.launches:
        threads = _threads(launch)
        if threads is None or launch.span in swept:
            continue
        lanes = -(-threads // WARP_SIZE) * WARP_SIZE
        idle = lanes - threads
        if idle < _LEAST_IDLE * lanes or _is_chosen(facts):
            continue
        share = percent(idle / lanes)
        text = f"blocks of {threads} threads leave {idle} of {lanes} lanes inactive ({share})"
        yield Finding(
            RULE,
            launch.span,
            (Part(text),),
            facts.kernel.label,
            RULE.severity,
            label=f"{plural(lanes // WARP_SIZE, 'warp')}, {lanes} lanes",
            evidence=(
                Fact("threads", threads),
                Fact("idle_lanes", idle),
                Fact("block", [*launch.block]),
            ),
            related=(Related(facts.kernel.span, "the kernel"),),
            fixes=(Fix(f"launch {lanes} threads per block, with a bounds check in the kernel"),),
            verify=section("WarpStateStats", "Avg. Active Threads Per Warp"),
        )


def _swept(launches: Sequence[Launch]) -> set[Span]:
    """Where one launch is made with several blocks, whole warps among them: they are compared."""
    shapes: dict[Span, set[int]] = {}
    for launch in launches:
        if threads := launch.threads:
            shapes.setdefault(launch.span, set()).add(threads)
    return {
        span
        for span, sizes in shapes.items()
        if len(sizes) > 1 and any(size % WARP_SIZE == 0 for size in sizes)
    }


def _is_chosen(facts: KernelFacts) -> bool:
    """Whether another instance of the template is for larger blocks of whole warps."""
    own = max(filter(None, (each.threads for each in facts.kernel.launches)), default=0)
    others = (each for each in facts.instances if each is not facts.kernel)
    sizes = [launch.threads or 0 for other in others for launch in other.launches]
    return any(size > own and size % WARP_SIZE == 0 for size in sizes)


def _threads(launch: Launch) -> int | None:
    """The threads of a block; None when not known, or when the launch is not worth a word."""
    threads = launch.threads
    if threads is None or launch.grid == (1, 1, 1):
        return None
    if None not in launch.grid:
        blocks = math.prod(size or 0 for size in launch.grid)
        if blocks * threads < _FEW_THREADS:
            return None
    return threads if threads > _NOT_FOR_SPEED else None
