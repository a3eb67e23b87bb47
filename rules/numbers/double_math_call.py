"""
## What it does

Finds calls of mathematical functions, minima and maxima that take the overload for double although
they get floats: `pow(x, 2)`, `max(x, 0.0)`, `fmin(x, 1.0)`.

## Why is this bad?

An integer or a double beside a float makes C++ choose the function for doubles. `pow(x, 2)` is 18
operations in double precision and a call; `x * x` is one in floats. Most GPUs do one operation on
doubles in the time of 64 on floats.

## Example

```cuda
float distance = sqrt(pow(dx, 2) + pow(dy, 2));
float positive = max(value, 0.0);
```

## Use instead

```cuda
float distance = sqrtf(dx * dx + dy * dy);
float positive = fmaxf(value, 0.0f);
```

## Known problems

Kernels that load, store or get doubles, and results that a variable of type double holds, are left
out: they are meant. So are files with a type that is `float` or `double` by a macro that nothing in
sight defines, and that has no default.

What saves less than 5 % of the time of a kernel, by the rates of the architecture, is a note: one
operation beside many accesses to memory matters where doubles are slow (`--arch sm_86`), and not on
sm_90.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule
from .._shared.doubles import double_finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="NUM002",
    name="double-math-call",
    summary="a mathematical function for doubles that gets floats",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
    judged=("promoted-floats",),
    joins=Joins.FILE,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each group of operations with a math function for doubles that gets floats."""
    from ...analyzer.analyses.arithmetic.promoted_floats import promoted_floats

    for group in promoted_floats(facts.kernel, facts.double_arithmetic):
        if group.calls:
            yield double_finding(RULE, facts, [group])
