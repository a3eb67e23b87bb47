"""
## What it does

Reports, once for each file, launches after which nothing asks for an error, and calls of the CUDA
runtime whose result is thrown away.

## Why is this bad?

A launch returns nothing. One that fails, for too many threads, too much shared memory or a missing
binary for the GPU, leaves the output as it was, and the program goes on with old numbers. So does a
`cudaMalloc` that finds no memory.

## Example

```cuda
cudaMalloc(&data, bytes);
scale<<<blocks, threads>>>(data, n);
cudaMemcpy(result, data, bytes, cudaMemcpyDeviceToHost);
```

## Use instead

```cuda
CHECK(cudaMalloc(&data, bytes));
scale<<<blocks, threads>>>(data, n);
CHECK(cudaGetLastError());
CHECK(cudaMemcpy(result, data, bytes, cudaMemcpyDeviceToHost));
```

with a macro of the project that looks at the `cudaError_t`.

## Known problems

A launch counts as checked when anything after it may look: `cudaGetLastError()`, a later call of
the runtime whose result is used, a macro or function from a header that was not found, a function
with its body in another file that is given nothing but constants. A caller in another file is not
seen. Calls after which the same function asks for the last error are checked,
too. Calls that give something back, `cudaFree` and the like, and what only fails after something
else has, such as `cudaGetDevice`, are not counted; nor is waiting, where a call below it in the
file is looked at: that one says so, too. Waiting alone, in a file that looks at its launches and
other calls, is not reported: a fault of a kernel is an error of every later call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule, Subject
from ...analyzer.source.words import plural
from .._shared.host import host_finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.host.facts import HostFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="API001",
    name="unchecked-call",
    summary="launches and calls of the CUDA runtime whose errors nobody looks at",
    category=Category.SUSPICIOUS,
    severity=Severity.NOTE,
    inputs=frozenset({Input.CUDA}),
    subject=Subject.HOST,
    references=("CUDA-1.3", "CUDA-1.4"),
    joins=Joins.HABIT,
    each="file",
    notes_stand_out=True,
)


def check(facts: HostFacts) -> Iterator[Finding]:
    """At most one finding on unchecked errors: at the first launch, else at the first
    runtime call.
    """
    from ...analyzer.analyses.host.unchecked import discarded_calls, unchecked_launches

    launches, calls = unchecked_launches(facts), discarded_calls(facts)
    if not launches and not calls:
        return
    counted = [plural(len(launches), "launch")] if launches else []
    counted += [plural(len(calls), "CUDA call")] if calls else []
    first = (launches or calls)[0]
    verb = "is" if len(launches) + len(calls) == 1 else "are"
    yield host_finding(
        RULE,
        first,
        f"{' and '.join(counted)} in this file {verb} not checked for errors",
        "check `cudaGetLastError()` after launches, and what each call returns",
        label="the first one",
        evidence=(Fact("launches", len(launches)), Fact("calls", len(calls))),
    )
