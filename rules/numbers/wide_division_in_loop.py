"""
## What it does

Finds divisions and remainders of 64-bit integers in loops, by what is not a constant.

## Why is this bad?

No GPU divides integers by one instruction. For 32 bits the compiler writes some twenty of them, for
64 bits it calls a function of more than a hundred, which also takes registers from the loop.

## Example

```cuda
for (int64_t i = start; i < end; i += step) {
    int64_t row = i / columns, column = i % columns;
```

## Use instead

```cuda
for (int64_t i = start; i < end; i += step) {
    uint32_t row = uint32_t(i) / uint32_t(columns);   // where the sizes fit into 32 bits
    uint32_t column = uint32_t(i) - row * uint32_t(columns);
```

or let row and column step with the loop.

## Known problems

Off unless selected: sizes that need 64 bits need them, and libraries choose the width by size.
Divisions of 32-bit integers are not reported, nor those by a constant, which become
multiplications.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.operations import Opcode
from .._shared.places import call_sites, once_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="NUM003",
    name="wide-division-in-loop",
    summary="a division of 64-bit integers in a loop",
    category=Category.PERFORMANCE,
    severity=Severity.NOTE,
    default=False,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each place in a loop with a division of 64-bit integers."""
    from ...analyzer.analyses.arithmetic.costly_divisions import wide_divisions

    for operation in once_each(wide_divisions(facts), lambda each: each.location.span):
        what = "remainder" if operation.opcode is Opcode.REM else "division"
        yield Finding(
            RULE,
            operation.location.span,
            (Part(f"a 64-bit integer {what} in every iteration: a call of over 100 instructions"),),
            facts.kernel.label,
            RULE.severity,
            label="64 bits wide",
            evidence=(Fact("operation", what), Fact("bits", 64)),
            related=call_sites(operation.location),
            fixes=(Fix("divide 32-bit integers where the sizes fit, or step row and column"),),
        )
