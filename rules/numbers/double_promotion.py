"""
## What it does

Finds arithmetic on floats that is done in double precision because a constant without `f` widens
it, where the compiler may not do the same in floats.

## Why is this bad?

Most GPUs have few units for doubles: one operation takes as long as 64 on floats (sm_75, sm_86,
sm_89). Every float is converted on the way in and back on the way out. `x * 2.0` alone is done in
floats, since the result is the same; `x * 0.1` and `x * 2.0 + y` are not.

## Example

```cuda
float value = input[i] * 0.1 + offset;
```

## Use instead

```cuda
float value = input[i] * 0.1f + offset;
```

## Known problems

What the compiler narrows was measured for nvcc; the last bits of a result may change with the fix.
Kernels that load, store or get doubles, groups of operations with a cast to double, and variables
of type double are left out: they are meant. So are files with a type that is `float` or `double` by
a macro that nothing in sight defines, and that has no default.

What saves less than 5 % of the time of a kernel, by the rates of the architecture, is a note: one
operation beside many accesses to memory matters where doubles are slow (`--arch sm_86`), and not on
sm_90.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule
from .._shared.doubles import MANY, double_finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.finding import Finding

RULE = Rule(
    code="NUM001",
    name="double-promotion",
    summary="arithmetic on floats that a constant without `f` makes double precision",
    category=Category.PERFORMANCE,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
    judged=("promoted-floats",),
    joins=Joins.FILE,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each line with floats that a constant makes double; one where they are many."""
    from ...analyzer.analyses.arithmetic.promoted_floats import promoted_floats

    groups = [
        each for each in promoted_floats(facts.kernel, facts.double_arithmetic) if not each.calls
    ]
    if len(groups) >= MANY:
        yield double_finding(RULE, facts, groups, "write constants with an `f`: `0.5f`")
        return
    for group in groups:
        yield double_finding(RULE, facts, [group])
