"""
## What it does

Finds launches whose grid is rounded down, `n / 256`, for a kernel whose threads compare their index
with `n`.

## Why is this bad?

The last `n % 256` elements belong to no block: they keep what was there before. The guard in the
kernel is for the threads that a rounded-up grid has too many, so the launch was to round up. At
sizes that are a multiple of the block, those that are tested, nothing is to be seen.

## Example

```cuda
scale<<<n / 256, 256>>>(data, n);
```

## Use instead

```cuda
scale<<<(n + 255) / 256, 256>>>(data, n);
```

## Known problems

A second launch for the rest, and sizes that are multiples by agreement, are not seen; an `assert`
or an `if` of the host about it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Input, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="LNC003",
    name="truncating-grid",
    summary="a grid that is rounded down, for a kernel that expects what is left over",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each launch."""
    from ...analyzer.analyses.memory_traffic.cut_grids import cut_grids

    for found in cut_grids(facts):
        name, divisor = found.parameter.name, found.divisor
        over = f"{found.left}" if found.left is not None else f"{name} % {divisor}"
        axis = "xyz"[found.axis]
        yield Finding(
            RULE,
            found.launch.span,
            (
                Part(
                    f"this grid is rounded down along {axis}: the last {over} of {name} elements "
                ),
                Part(f"belong to no block of `{found.launch.kernel}`"),
            ),
            facts.kernel.label,
            RULE.severity,
            label=f"{name} / {divisor}",
            evidence=(
                Fact("axis", axis),
                Fact("parameter", name),
                Fact("divisor", divisor),
                Fact("left_over", found.left),
            ),
            related=(
                Related(found.guard.location.span, f"the kernel expects threads beyond {name}"),
            ),
            fixes=(Fix(f"round up: ({name} + {divisor - 1}) / {divisor}"),),
        )
