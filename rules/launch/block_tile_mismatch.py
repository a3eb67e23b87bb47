"""
## What it does

Finds launches whose block has another shape than the kernel is written for: an array in shared
memory that a block of its own shape fills, read beyond what this block has written; elements that
no thread comes to, as the kernel counts larger blocks.

## Why is this bad?

`tile[threadIdx.y][threadIdx.x]` with 16x16 threads fills a quarter of a tile of 32x32. The loops
over the tile read the rest, which holds whatever an earlier block has left there. With
`blockIdx.x * 256 + threadIdx.x` and blocks of 128, every second half of 256 elements is left out.

## Example

```cuda
__shared__ float tile[32][32];            // in a kernel that fills one element with each thread
multiply<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
```

## Use instead

```cuda
multiply<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n);
```

with one constant for the tile and the block.

## Known problems

Only launches whose block is known are checked, arrays in kernels that a run of one block shows to
their end, and elements whose number is compared with a size that is passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.findings.verifying import sanitizer
from .._shared.races import element_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.array_bounds.skipped_elements import SkippedElements
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.kernel import Launch

RULE = Rule(
    code="LNC004",
    name="block-tile-mismatch",
    summary="a launch whose block is smaller than the one that the kernel is written for",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each launch, with the first array, or with the elements that are left out."""
    from ...analyzer.analyses.array_bounds.skipped_elements import skipped_elements

    done: set[Launch] = set()
    for skipped in skipped_elements(facts):
        done.add(skipped.launch)
        yield _skipped(facts, skipped)
    for found in facts.unwritten_parts:
        if found.made_for is None:
            continue
        wanted, given = (_shape(each) for each in (found.made_for, found.launch.block))
        name = element_name(found.item, found.offset, found.access.width)
        for launch in facts.kernel.launches:
            if launch.block != found.launch.block or launch in done:
                continue
            done.add(launch)
            yield Finding(
                RULE,
                launch.span,
                (
                    Part(f"this launch has blocks of {given}, but `{launch.kernel}` fills "),
                    Part(found.item.name, found.item.span),
                    Part(f" with {wanted} threads: nobody writes {name}, which is read"),
                ),
                facts.kernel.label,
                RULE.severity,
                label=f"the kernel is made for {wanted} threads",
                evidence=(
                    Fact("block", list(found.launch.block)),
                    Fact("made_for", list(found.made_for)),
                    Fact("array", found.item.name),
                ),
                related=(Related(found.access.location.span, f"{name} is read here"),),
                fixes=(Fix(f"launch blocks of {wanted}, by the constant of the kernel"),),
                verify=sanitizer("initcheck"),
            )


def _skipped(facts: KernelFacts, found: SkippedElements) -> Finding:
    axis, threads, pitch = "xyz"[found.axis], found.threads, found.pitch
    return Finding(
        RULE,
        found.launch.span,
        (
            Part(f"this launch has blocks of {threads} along {axis}, but `{found.launch.kernel}` "),
            Part(f"counts {pitch} for each: no thread comes to elements {threads} to {pitch - 1} "),
            Part("of every block"),
        ),
        facts.kernel.label,
        RULE.severity,
        label=f"the kernel is made for {pitch} threads",
        evidence=(Fact("threads", threads), Fact("made_for", pitch), Fact("axis", axis)),
        related=(Related(found.guard.location.span, "compared with the size here"),),
        fixes=(Fix("multiply by `blockDim`, or launch blocks by the constant of the kernel"),),
    )


def _shape(block: tuple[int, int, int]) -> str:
    """`32x32`."""
    shown = [size for size in block if size > 1] or [1]
    return "x".join(map(str, shown))
