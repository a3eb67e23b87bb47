"""
## What it does

Reports ptxas warnings about serialised matrix instructions and ignored register reallocation
(`(C7508)` ... `(C7518) Potential Performance Loss`) at the kernel that they name, from a build log
given with `--ptxas-log`.

## Why is this bad?

`wgmma.mma_async` runs asynchronously to the warp that issues it, as long as nothing accesses its
accumulators. Where ptxas cannot prove that, it inserts a wait after each instruction, and a kernel
built around asynchronous matrix products loses most of its speed. The only hint is one line in the
build log.

## Example

```text
ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized due
to insufficient register resources for the function 'main_kernel'
```

## Use instead

Smaller tiles, whose accumulators fit, and which nothing accesses before the wait:

```ptx
wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f0, ...}, %descriptor_a, %descriptor_b, 1, 1;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
```

## Known problems

The log names a function but no line. Messages that name no function are not reported, nor are those
that only say what was injected (`(C7517) warpgroup.wait`, `(C7519) warpgroup.arrive`).
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
    summary="matrix instructions that ptxas has serialised, according to the build log",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
)

_LOSS = "Potential Performance Loss"


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each advice of ptxas on serialised matrix instructions (wgmma)."""
    for advisory in facts.advisories:
        if advisory.code.startswith("C75") and _LOSS in advisory.text:
            yield advisory_finding(RULE, facts, advisory)
