"""
## What it does

Finds PTX that was compiled for debugging: `.target sm_80, debug`.

## Why is this bad?

`nvcc -G` switches optimisation off: variables live in local memory, nothing is inlined or unrolled,
and kernels are several times slower. Such a module is most often in a release by mistake.

## Example

```ptx
.version 8.0
.target sm_80, debug
```

## Use instead

```ptx
.version 8.0
.target sm_80
```

from `nvcc -lineinfo`, which keeps the lines of the source for profilers and optimises.

## Known problems

None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Input, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="ASM001",
    name="debug-module",
    summary="PTX that was compiled for debugging",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    inputs=frozenset({Input.PTX}),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each PTX module that was compiled for debugging, at its first kernel."""
    if facts.module.for_debugging and facts.module.kernels[0] is facts.kernel:
        yield Finding(
            RULE,
            facts.kernel.span,
            (Part("this module is compiled for debugging: nothing in it is optimised"),),
            facts.kernel.label,
            RULE.severity,
            label="the first kernel of it",
            evidence=(Fact("kernels", len(facts.module.kernels)),),
            fixes=(Fix("compile with -lineinfo in place of -G"),),
        )
