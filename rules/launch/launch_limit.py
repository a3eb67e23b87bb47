"""
## What it does

Finds launches whose grid or block the hardware rejects: too many threads per block, a dimension
over its limit, or one that is zero.

## Why is this bad?

The kernel never runs. The launch fails with `cudaErrorInvalidConfiguration`, which a program sees
only if it calls `cudaGetLastError()`, and the output buffers keep their old contents. `nvcc` does
not warn about it.

## Example

```cuda
dim3 block(64, 32);                       // 2,048 threads; a block has at most 1,024
scale<<<rows, block>>>(data);
```

## Use instead

```cuda
dim3 block(32, 32);
scale<<<rows, block>>>(data);
```

## Known problems

Only dimensions that are known from the file are checked, and zero only where it is written in the
launch, or computed of numbers that are not zero. Limits are those of `--arch`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.ir.host import HostLaunch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.hardware.architectures import Architecture
    from ...analyzer.ir.kernel import Launch

RULE = Rule(
    code="LNC001",
    name="launch-limit",
    summary="a grid or block that exceeds the hardware limits",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each launch that cannot work."""
    for launch in facts.kernel.launches:
        reason = next(_reasons(launch, facts.architecture), None)
        if reason is not None:
            text, limit = reason
            how = f"`{launch.kernel}` {_how_often(facts, launch)} fails"
            yield Finding(
                RULE,
                launch.span,
                (Part(f"this launch of {how}: {text}"),),
                facts.kernel.label,
                RULE.severity,
                label="cudaErrorInvalidConfiguration",
                evidence=(
                    Fact("block", [*launch.block]),
                    Fact("grid", [*launch.grid]),
                    Fact("limit", limit),
                    Fact("arch", facts.architecture.name),
                ),
                related=(Related(facts.kernel.span, "the kernel"),),
                fixes=(_fix(facts, launch),),
            )


def _reasons(launch: Launch, arch: Architecture) -> Iterator[tuple[str, int]]:
    """What is wrong with a launch, and the limit it breaks."""
    shapes = (
        ("block", launch.block, arch.block_dimensions),
        ("grid", launch.grid, arch.grid_dimensions),
    )
    grid_of_sizes, block_of_sizes = launch.from_sizes
    of_sizes = {"block": block_of_sizes, "grid": grid_of_sizes}
    for what, shape, limits in shapes:
        for axis, size, limit in zip("xyz", shape, limits, strict=True):
            if size is not None and size <= 0 and of_sizes[what]:
                yield f"its {what} is {size} along {axis}", 1
            if size is not None and size > limit:
                yield f"its {what} is {size:,} along {axis}, {arch.name} allows {limit:,}", limit
    threads, most = launch.threads, arch.threads_per_block
    if threads is not None and threads > most:
        yield f"its block has {threads:,} threads, {arch.name} allows {most:,}", most


def _how_often(facts: KernelFacts, launch: Launch) -> str:
    """Callers, or the iterations of a loop, may make launches of several shapes of one."""
    there = (each for each in facts.kernel.launches if each.span == launch.span)
    shapes = {(each.grid, each.block) for each in there}
    return "always" if len(shapes) == 1 else "sometimes"


def _fix(facts: KernelFacts, launch: Launch) -> Fix:
    """What to do, with a check of the launch where there is none yet."""
    launches = (each for each in facts.module.host if isinstance(each, HostLaunch))
    if any(each.checked and each.span == launch.span for each in launches):
        return Fix("choose a valid shape")
    return Fix("choose a valid shape, and check `cudaGetLastError()` after launches")
