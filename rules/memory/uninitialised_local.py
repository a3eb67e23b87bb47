"""
## What it does

Reports variables of a thread that are used though no way to the use gives them a value, and local
arrays that are read though nothing is ever stored in them. In PTX: registers and `.local` arrays.

## Why is this bad?

The value is whatever the register or the stack held before. NVIDIA's compiler warns of the simplest
cases only, and not of sums that begin without a zero.

## Example

```cuda
float sum;
for (int k = 0; k < n; k++) sum += in[k];
out[i] = sum;
```

## Use instead

```cuda
float sum = 0.0f;
for (int k = 0; k < n; k++) sum += in[k];
out[i] = sum;
```

## Known problems

Reported is the place where the value makes a difference: where it is stored, decides a branch or is
a part of an address. Variables whose address is taken or that only some ways leave unwritten,
members of classes and parts of arrays are not looked at, nor what calls and assembly get, nor what
stands behind a flag of the host in an instance of a template: it may be set for other instances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.ir.operations import Operation

RULE = Rule(
    code="MEM004",
    name="uninitialised-local",
    summary="a variable or an array of a thread is used and was never written",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    references=("CWE-457",),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each variable and each array."""
    from ...analyzer.analyses.storage.unwritten import unwritten_reads, unwritten_uses

    for use in unwritten_uses(facts):
        yield _finding(facts, use.use, use.name, f"{use.name} is used and has no value yet")
    for read in unwritten_reads(facts, Space.LOCAL):
        name = read.item.name
        related = () if read.item.span is None else (Related(read.item.span, "declared here"),)
        text = f"{name} is read, and nothing is ever stored in it"
        yield _finding(facts, read.load, name, text, related)


def _finding(
    facts: KernelFacts, place: Operation, name: str, text: str, related: tuple[Related, ...] = ()
) -> Finding:
    return Finding(
        RULE,
        place.location.span,
        (Part(text),),
        facts.kernel.instance or facts.kernel.name,
        RULE.severity,
        label="whatever was there before",
        evidence=(Fact("variable", name, "no way to this place gives it a value"),),
        related=related,
        fixes=(Fix(f"give {name} a value first"),),
    )
