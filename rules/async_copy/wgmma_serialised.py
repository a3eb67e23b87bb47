"""
## What it does

Relays what ptxas says of matrix instructions and registers that do not work as they are meant to
(`(C7508)` ... `(C7518) Potential Performance Loss`), from a build log that is given with
`--ptxas-log`, at the kernel that it speaks of.

## Why is this bad?

`wgmma.mma_async` runs beside the warp that issues it, as long as nothing touches its accumulators.
Where ptxas cannot prove that, it waits after each instruction, and a kernel that is built around
asynchronous matrix products loses most of its speed. It says so in one line of the build log.

## Example

```text
ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized due
to insufficient register resources for the function 'main_kernel'
```

## Use instead

Smaller tiles, whose accumulators fit, and which nothing touches before the wait:

```ptx
wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f0, ...}, %descriptor_a, %descriptor_b, 1, 1;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
```

## Known problems

The log names a function and no line; lines without a function are left out, and so are those that
only say what was injected (`(C7517) warpgroup.wait`, `(C7519) warpgroup.arrive`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Severity
from ...analyzer.findings.rule import Category, Rule
from .._shared.advisories import advisory_finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="ASY004",
    name="wgmma-serialised",
    summary="matrix instructions that ptxas says it has serialised",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
)

_LOSS = "Potential Performance Loss"


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each advice of ptxas."""
    for advisory in facts.advisories:
        if advisory.code.startswith("C75") and _LOSS in advisory.text:
            yield advisory_finding(RULE, facts, advisory)
