"""
## What it does

Finds conditions that are written twice, `a && a`, and values that are compared with themselves.

## Why is this bad?

One of the two was meant to be another: the guard for `y` that asks for `x` again lets threads
through that leave the array.

## Example

```cuda
if (x < width && x < width) out[y * width + x] = 0.0f;
```

## Use instead

```cuda
if (x < width && y < height) out[y * width + x] = 0.0f;
```

## Known problems

Conditions with what is loaded from memory in them are not judged.
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
    code="DIV004",
    name="repeated-condition",
    summary="a condition written twice, or a value compared with itself",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
    references=("CWE-570", "CWE-571"),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each condition that is written twice, or compares a value with itself."""
    from ...analyzer.analyses.arithmetic.repeated_conditions import repeated_conditions

    for found in repeated_conditions(facts.kernel):
        text = "a value is compared with itself"
        if found.connects:
            text = "both sides are the same condition"
        place = found.operation.location
        yield Finding(
            RULE,
            place.span,
            (Part(text),),
            facts.kernel.label,
            RULE.severity,
            label="one of the two was meant to be another",
            evidence=(Fact("kind", "condition" if found.connects else "comparison"),),
            related=call_sites(place),
            fixes=(Fix("ask for the other variable, or remove one of the two"),),
        )
