"""
## What it does

Reports accesses beyond the end of an array in shared memory, with the thread that goes there.

## Why is this bad?

There is no check: the thread reads or overwrites the next array, or stops the kernel with an error
that names neither line nor array. What lies behind an array changes with every declaration.

## Example

```cuda
__shared__ float tile[16][16];
tile[threadIdx.y][threadIdx.x + 1] = in[i];
```

## Use instead

```cuda
__shared__ float tile[16][16 + 1];
tile[threadIdx.y][threadIdx.x + 1] = in[i];
```

## Known problems

Only the end of the whole array is looked at, not that of its rows, and only arrays of known size
that the kernel writes. The block is that of a launch, of launch bounds or of `--block`; with a
shape that is only likely, with sizes that are parameters, and with launch bounds where a smaller
block fills the array, the finding is only possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import (
    Certainty,
    Fact,
    Finding,
    Part,
    Related,
    Severity,
)
from ...analyzer.findings.rule import Category, Rule
from .._shared.races import thread_at, verb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.races.out_of_bounds import OutOfBounds

RULE = Rule(
    code="SHM006",
    name="shared-out-of-bounds",
    summary="a thread goes beyond the end of an array in shared memory",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    references=("CWE-119",),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each access that leaves its array."""
    from ...analyzer.analyses.races.out_of_bounds import out_of_bounds

    for found in out_of_bounds(facts):
        yield _finding(facts, found)


def _finding(facts: KernelFacts, found: OutOfBounds) -> Finding:
    touch, item, offset = found.outside.touch, found.outside.item, found.outside.offset
    thread = thread_at(found.races.launch.launch.block, touch.thread)
    name, width = f"thread ({', '.join(map(str, thread))})", touch.access.width or 1
    launch = found.races.launch.launch
    declared = (Related(item.span, f"{item.name} has {item.size} bytes"),) if item.span else ()
    reach = f"bytes {offset} to {offset + width - 1} of {item.name}"
    return Finding(
        RULE,
        touch.access.location.span,
        (Part(f"{name} {verb(touch.access)} {reach}, which has {item.size} bytes"),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        certainty=Certainty.DEFINITE if found.definite else Certainty.POSSIBLE,
        label="beyond the end of the array",
        evidence=(
            Fact("object", item.name),
            Fact("offset", offset),
            Fact("size", item.size),
            Fact("thread", list(thread)),
        ),
        assumptions=(assumed_block(launch),),
        related=declared,
        verify="compute-sanitizer --tool memcheck",
    )
