"""
## What it does

Finds integer variables that a loop adds floats to; integers of 8 or 16 bits that a loop adds loaded
values to, where the sum goes on as something wider; and `__half` or `__nv_bfloat16` variables that
a loop of unknown length adds loaded values to.

## Why is this bad?

`sum += a * b` with an `int sum` converts the sum to float, adds, and cuts the fraction off, in
every iteration: products below one never count, and each step costs two conversions.

A sum of bytes in a byte wraps at 256. A half has 11 bits: to a sum of 2,048 nothing below one can
be added any more.

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

A cast, `sum += (int)(a[k] * b[k])`, is meant. Sums in members and arrays are not followed, and
neither are pairs of halves. A sum of bytes that stays a byte, a checksum, is not reported. How
large the terms are is not known: of integer sums of 16 bits `--show-possible` tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from .._shared.doubts import doubts_about
from .._shared.places import call_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts

RULE = Rule(
    code="NUM004",
    name="integer-accumulator",
    summary="a variable that is too narrow for what a loop adds to it",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
    judged=("narrow-sum",),
)

#: What a sum loses: the message, the label and the type to declare.
_WORDS = {
    "fractions": (
        "is an integer, but floats are added to it: fractions are cut off",
        "cut off in every iteration",
        "float",
    ),
    "high bits": (
        "is narrower than what is made of it after the loop: large sums wrap around",
        "cut to 8 or 16 bits in every iteration",
        "int",
    ),
    "small terms": (
        "has 16 bits, and a loop of unknown length adds to it: small terms are lost",
        "rounded to 16 bits in every iteration",
        "float",
    ),
}


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each sum in a loop whose variable is too narrow."""
    from ...analyzer.analyses.arithmetic.narrow_accumulators import narrow_accumulators
    from ...analyzer.analyses.doubts.registry import OF_SUMS

    for found in narrow_accumulators(facts):
        name = found.phi.variable or "the sum"
        what, label, wider = _WORDS[found.loss.value]
        yield Finding(
            RULE,
            found.update.location.span,
            (Part(f"{name} {what}"),),
            facts.kernel.label,
            RULE.severity,
            label=label,
            evidence=(Fact("variable", name),),
            related=call_sites(found.update.location),
            fixes=(Fix(f"declare {name} as {wider}"),),
            doubts=doubts_about(facts, OF_SUMS, found),
        )
