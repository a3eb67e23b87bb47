"""
## What it does

Finds asynchronous copies from or to host memory that is pageable: from `malloc`, `new`, or a
variable.

## Why is this bad?

The device reads only memory that stays where it is. The runtime copies pageable memory through a
buffer of its own first: the call returns late, copies do not overlap with kernels, and the stream
it names makes no difference.

## Example

```cuda
float *host = (float *)malloc(bytes);
cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
```

## Use instead

```cuda
float *host;
cudaMallocHost(&host, bytes);
cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
```

## Known problems

Copies of a few bytes, into a variable say, are not worth it and are left out, and so are copies
that the host waits for with its next call. Only memory whose allocation is seen is known. Reports
on several files only count these notes: of nine that were read as their owners would, three copies
were waited for in ways that are not seen, or made once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule, Subject
from .._shared.host import host_finding, made_at
from .._shared.places import once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.host.facts import HostFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="API006",
    name="pageable-async-copy",
    summary="an asynchronous copy from or to pageable host memory, which is not asynchronous",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    inputs=frozenset({Input.CUDA}),
    subject=Subject.HOST,
    joins=Joins.HABIT,
)


def check(facts: HostFacts) -> Iterator[Finding]:
    """A finding for each asynchronous copy from or to pageable host memory."""
    from ...analyzer.analyses.host.pageable_copies import pageable_copies

    for call, allocation in once_each(pageable_copies(facts), lambda found: found[0].span):
        yield host_finding(
            RULE,
            call.span,
            f"`{call.name}` is not asynchronous: {allocation.name} is pageable host memory",
            "allocate it with cudaMallocHost, or register it with cudaHostRegister",
            label="copied through a buffer of the runtime",
            evidence=(Fact("pointer", allocation.name), Fact("call", call.name)),
            related=made_at(allocation),
        )
