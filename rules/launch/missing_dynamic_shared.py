"""
## What it does

Finds launches that pass no dynamic shared memory to a kernel that always uses an
`extern __shared__` array.

## Why is this bad?

The third launch argument is the size of such arrays in bytes. Without it the size is 0, and every
access is out of bounds: an illegal address, or another shared variable.

## Example

```cuda
__global__ void reverse(int *data) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = data[threadIdx.x];
    ...
}
reverse<<<1, 256>>>(data);
```

## Use instead

```cuda
reverse<<<1, 256, 256 * sizeof(int)>>>(data);
```

## Known problems

Arrays that are only used under a condition are not reported, unless that is about threads alone,
such as `threadIdx.x == 0`: such a kernel may be launched without them on purpose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.findings.verifying import sanitizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts, LaunchFacts
    from ...analyzer.ir.operations import MemoryAccess

RULE = Rule(
    code="LNC005",
    name="missing-dynamic-shared",
    summary="a launch without the dynamic shared memory that its kernel uses",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each launch that gives a kernel no dynamic shared memory."""
    launches = [
        launch
        for launch in facts.kernel.launches
        # A variable that is 0 may be set where nobody looked.
        if launch.dynamic_shared == 0 and launch.shared_text.strip() in ("", "0")
    ]
    access = next(_certain(facts), None) if launches else None
    if access is None:
        return
    array = facts.points_to.object_of(access)
    assert array is not None
    for launch in launches:
        yield Finding(
            RULE,
            launch.span,
            (
                Part(f"this launch passes no dynamic shared memory, but `{launch.kernel}` uses "),
                Part(array.name, array.span),
                Part(": every access is out of bounds"),
            ),
            facts.kernel.label,
            RULE.severity,
            label="0 bytes of dynamic shared memory",
            evidence=(Fact("array", array.name), Fact("dynamic_shared", 0)),
            related=(Related(access.location.span, f"{array.name} is accessed here"),),
            fixes=(Fix("pass the size in bytes as the third launch argument"),),
            verify=sanitizer("memcheck"),
        )


def _certain(facts: KernelFacts) -> Iterator[MemoryAccess]:
    """Accesses to dynamic shared memory that some thread of every launch makes."""
    for access in facts.accesses:
        array = facts.points_to.object_of(access)
        if array is None or not array.dynamic:
            continue
        if all(_comes_to(launch, access) for launch in facts.launches):
            yield access


def _comes_to(launch: LaunchFacts, access: MemoryAccess) -> bool:
    """Whether nothing but the indices of threads decides who makes an access, and some do."""
    for warp in range(launch.launch.warps):
        guarded = launch.guards(launch.evaluator(warp)).of(access.block)
        if guarded.assumed:
            return False
        if any(guarded.mask):
            return True
    return False
