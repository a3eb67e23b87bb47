"""
## What it does

Reports warnings of ptxas and nvlink about a kernel, from a build log given with `--ptxas-log`:
stacks whose size cannot be determined, double precision that the target lacks, and whatever else
has no rule of its own.

## Why is this bad?

Build logs are long, and their warnings are easily missed. A stack of unknown size, for instance,
comes from recursion or function pointers: the driver allocates `cudaLimitStackSize` bytes, 1 KB by
default, and a thread that needs more corrupts memory or aborts the kernel.

## Example

```text
ptxas warning : Stack size for entry function '_Z3recPi' cannot be statically determined
```

## Use instead

```cuda
cudaDeviceSetLimit(cudaLimitStackSize, 8 * 1024);   // or a loop with a stack of its own
```

## Known problems

Warnings that name neither a function nor a line of the file are not reported. Register spills are
LOC002, serialised matrix instructions ASY004, ignored launch bounds OCC005.
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
    code="OCC006",
    name="compiler-advisory",
    summary="a warning about a kernel in the build log",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each warning in the build log that has no rule of its own."""
    for advisory in facts.advisories:
        if not advisory.code.startswith("C75") and advisory.code != "bounds-ignored":
            yield advisory_finding(RULE, facts, advisory)
