"""
## What it does

Finds integer variables that a loop adds floats to.

## Why is this bad?

`sum += a * b` with an `int sum` converts the sum to float, adds, and cuts the fraction off, in
every iteration: products below one never count, and each step costs two conversions.

## Example

```cuda
int sum = 0;
for (int k = 0; k < n; ++k) sum += a[k] * b[k];
```

## Use instead

```cuda
float sum = 0.0f;
for (int k = 0; k < n; ++k) sum += a[k] * b[k];
```

## Known problems

A cast, `sum += (int)(a[k] * b[k])`, is meant. Sums in members and arrays are not followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from .._shared.places import call_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="NUM004",
    name="integer-accumulator",
    summary="an integer variable that a loop adds floats to",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each sum."""
    from ...analyzer.analyses.arithmetic.narrow_accumulators import narrow_accumulators

    for found in narrow_accumulators(facts.kernel):
        name = found.phi.variable or "the sum"
        yield Finding(
            RULE,
            found.update.location.span,
            (Part(f"{name} is an integer, but floats are added to it: fractions are cut off"),),
            facts.kernel.label,
            RULE.severity,
            label="cut off in every iteration",
            evidence=(Fact("variable", name),),
            related=call_sites(found.update.location),
            fixes=(Fix(f"declare {name} as float"),),
        )
