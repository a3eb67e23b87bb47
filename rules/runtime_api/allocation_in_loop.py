"""
## What it does

Finds loops that launch kernels and allocate or free memory in every iteration.

## Why is this bad?

`cudaMalloc` and `cudaFree` take up to a millisecond, and `cudaFree` waits for all work on the
device: no two iterations overlap, and the GPU is idle between them.

## Example

```cuda
for (int step = 0; step < steps; ++step) {
    cudaMalloc(&scratch, bytes);
    advance<<<blocks, threads>>>(state, scratch);
    cudaFree(scratch);
}
```

## Use instead

```cuda
cudaMalloc(&scratch, bytes);
for (int step = 0; step < steps; ++step)
    advance<<<blocks, threads>>>(state, scratch);
cudaFree(scratch);
```

or `cudaMallocAsync` and `cudaFreeAsync`, which take memory from a pool and do not wait.

## Known problems

Off unless selected: a loop over a few devices or test cases is no hot loop, and how often it runs
is seldom known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Severity
from ...analyzer.findings.rule import Category, Input, Rule, Subject
from .._shared.host import host_finding
from .._shared.places import once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.host.facts import HostFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="API004",
    name="allocation-in-loop",
    summary="memory is allocated or freed in every iteration of a loop that launches kernels",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    inputs=frozenset({Input.CUDA}),
    subject=Subject.HOST,
    default=False,
)

_SLOW = frozenset({"cudaMalloc", "cudaFree", "cudaMallocManaged", "cudaMallocHost", "cudaFreeHost"})


def check(facts: HostFacts) -> Iterator[Finding]:
    """A finding for each call of the host that allocates or frees memory in a launching loop."""
    launching = {each.loop for each in facts.launches if each.loop is not None}
    slow = (call for call in facts.calls if call.name in _SLOW and call.loop in launching)
    for call in once_each(slow, lambda call: call.span):
        yield host_finding(
            RULE,
            call.span,
            f"`{call.name}` in every iteration of a loop that launches kernels",
            "allocate before the loop, or use cudaMallocAsync and cudaFreeAsync",
            label="takes long, and may wait for the device",
            evidence=(Fact("call", call.name),),
        )
