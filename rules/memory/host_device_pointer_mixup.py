"""
## What it does

Finds pointers on the wrong side: host memory passed to a kernel, device memory that the host
follows, memory given back by a function of the other kind.

## Why is this bad?

Host and device have memories of their own. A kernel that follows a pointer from `malloc` ends with
an illegal address, the host that follows one from `cudaMalloc` with a segmentation fault, and
`cudaFree` of host memory with an error that is reported somewhere else.

## Example

```cuda
float *values = (float *)malloc(bytes);
scale<<<blocks, threads>>>(values);
```

## Use instead

```cuda
float *values;
cudaMalloc(&values, bytes);
scale<<<blocks, threads>>>(values);
```

## Known problems

Only arrays and pointers from the runtime, from `malloc` or `new` are known, also where they go
through helper functions or are kept by the class that allocates them. Systems with heterogeneous
memory management let kernels follow pointers from `malloc`; who relies on it may switch the rule
off.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Severity
from ...analyzer.findings.rule import Category, Input, Rule, Subject
from ...analyzer.findings.verifying import sanitizer
from .._shared.host import host_finding, made_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.host.facts import HostFacts
    from ...analyzer.analyses.host.pointer_uses import MixedUp
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="MEM003",
    name="host-device-pointer-mixup",
    summary="a host pointer in a kernel, or a device pointer that the host follows",
    category=Category.CORRECTNESS,
    severity=Severity.ERROR,
    inputs=frozenset({Input.CUDA}),
    subject=Subject.HOST,
    references=("CWE-762",),
)


def check(facts: HostFacts) -> Iterator[Finding]:
    """A finding for each host pointer that a kernel uses, or device pointer that the host
    follows.
    """
    from ...analyzer.analyses.host.pointer_uses import mixed_up

    for found in mixed_up(facts):
        message, advice = _words(found)
        yield host_finding(
            RULE,
            found.span,
            message,
            advice,
            label=found.pointer.allocation.residence.value,
            evidence=(
                Fact("pointer", found.pointer.allocation.name),
                Fact("memory", found.pointer.allocation.residence.value),
                Fact("misuse", found.misuse.value),
            ),
            related=made_at(found.pointer.allocation),
            verify=sanitizer("memcheck"),
        )


def _words(found: MixedUp) -> tuple[str, str]:
    from ...analyzer.analyses.host.pointer_uses import Misuse

    name, where = found.pointer.allocation.name, found.pointer.allocation.residence.value
    match found.misuse:
        case Misuse.TO_KERNEL:
            what = f"`{found.user}` is passed {name}, which is {where}: the device cannot follow it"
            return what, "allocate it with cudaMalloc or cudaMallocManaged, and copy"
        case Misuse.GIVEN_BACK:
            maker = found.pointer.allocation.maker
            origin = f"comes from `{maker}`" if maker else f"is {where}"
            # A pointer of another name may lead there: after a swap, or in a function.
            written = re.search(rf"\b{re.escape(name)}\b", found.span.text)
            held = name if written is not None else f"the memory of {name}"
            return f"`{found.user}` gives back {held}, which {origin}", "use the matching function"
    user = f"`{found.user}`" if found.user else "the host"
    return f"{user} follows {name}, which is {where}", "copy it to the host with cudaMemcpy"
