"""
## What it does

Finds host code that reads or writes managed or pinned memory after a launch or an asynchronous copy
that works on it, with nothing in between that waits.

## Why is this bad?

Launches return at once. What the host reads before `cudaDeviceSynchronize()` is what was there
before, or half of it; before Pascal, and on Windows, it is a segmentation fault.

## Example

```cuda
cudaMallocManaged(&sum, sizeof(int));
reduce<<<blocks, threads>>>(values, sum);
printf("%d\n", *sum);
```

## Use instead

```cuda
reduce<<<blocks, threads>>>(values, sum);
cudaDeviceSynchronize();
printf("%d\n", *sum);
```

## Known problems

Streams are not told apart, and every function that may wait counts as waiting. Functions of the
file are followed, if no other has the same name: an access in a helper is reported at the call
after the launch. Reported is the first access after each launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule, Subject
from .._shared.host import host_finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.host.facts import HostFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="API005",
    name="access-before-sync",
    summary="the host accesses memory that a launch or copy may still work on",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
    subject=Subject.HOST,
    references=("CWE-820",),
)


def check(facts: HostFacts) -> Iterator[Finding]:
    """A finding for the host's first access to memory that a launch or copy may still work on."""
    from ...analyzer.analyses.host.pointer_uses import accesses_too_early

    for access in accesses_too_early(facts):
        allocation, begun = access.pointer.allocation, access.begun
        assert begun is not None
        there = () if access.through is None else (Related(access.span, "accessed here"),)
        yield host_finding(
            RULE,
            access.through or access.span,
            f"the host accesses {allocation.name} while the work begun on line {begun.line} may "
            "still use it: nothing waits in between",
            "call cudaDeviceSynchronize(), or wait for the stream, before the access",
            label=allocation.residence.value,
            evidence=(Fact("pointer", allocation.name), Fact("begun_line", begun.line)),
            related=(Related(begun, f"works on {allocation.name} and does not wait"), *there),
        )
