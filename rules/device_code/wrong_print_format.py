"""
## What it does

Finds `printf` in device code whose format does not fit its arguments: another number of them, `%d`
for a float, `%f` for an integer.

## Why is this bad?

Nothing checks the formats of device code. The host prints later what lies in the buffer: wrong
numbers, those of the next call, or, for `%s`, whatever an arbitrary address holds.

## Example

```cuda
printf("%d %s\\n", value);                 // a float, and nothing for %s
```

## Use instead

```cuda
printf("%f\\n", value);
```

## Known problems

Whether an integer has 32 or 64 bits is not compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Input, Rule
from ...analyzer.source.words import plural
from .._shared.places import call_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.storage.printed_formats import WrongFormat

RULE = Rule(
    code="DEV003",
    name="wrong-print-format",
    summary="a format of `printf` in device code that does not fit its arguments",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    inputs=frozenset({Input.CUDA}),
    references=("CWE-686",),
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """A finding for each call."""
    from ...analyzer.analyses.storage.printed_formats import wrong_formats

    for found in wrong_formats(facts):
        yield Finding(
            RULE,
            found.call.location.span,
            (Part(_text(found)),),
            facts.kernel.label,
            RULE.severity,
            label="prints something else",
            evidence=(Fact("wanted", found.wanted), Fact("given", found.given)),
            related=call_sites(found.call.location),
            fixes=(Fix("let the format and the arguments agree"),),
        )


def _text(found: WrongFormat) -> str:
    if found.conversion:
        return f"`{found.conversion}` does not fit argument {found.number} of `printf`"
    wanted, given = plural(found.wanted, "argument"), found.given
    return f"the format of `printf` asks for {wanted}, but there {_are(given)}"


def _are(count: int) -> str:
    return f"{'is' if count == 1 else 'are'} {count}"
