"""
## What it does

Finds `printf` in device code whose format does not fit its arguments: another number of them, `%d`
for a float or for an integer of 64 bits, `%f` for an integer.

## Why is this bad?

Nothing checks the formats of device code. The host prints later what lies in the buffer: wrong
numbers, those of the next call, or, for `%s`, whatever an arbitrary address holds. `%d` takes 4 of
the 8 bytes of a `size_t`, and what follows is read from the wrong place.

## Example

```cuda
printf("%d %s\\n", value);                 // a float, and nothing for %s
```

## Use instead

```cuda
printf("%f\\n", value);
```

## Known problems

`long` is taken to have 64 bits, as on Linux; on Windows it has 32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Input, Joins, Rule
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
    """A finding for each `printf` in device code whose format does not fit its arguments."""
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
            fixes=(Fix(_advice(found)),),
            joins=Joins.HABIT if found.bits else None,
        )


def _text(found: WrongFormat) -> str:
    if found.conversion:
        which = f", which has {found.bits} bits" if found.bits else ""
        return f"`{found.conversion}` of `printf` does not fit argument {found.number}{which}"
    wanted, given = plural(found.wanted, "argument"), found.given
    return f"the format of `printf` asks for {wanted}, but there {_are(given)}"


def _advice(found: WrongFormat) -> str:
    if not found.bits:
        return "let the format and the arguments agree"
    letter = "u" if found.unsigned and found.conversion[-1] in "di" else found.conversion[-1]
    return f"write `%{'ll' if found.bits > 32 else ''}{letter}`"


def _are(count: int) -> str:
    return f"{'is' if count == 1 else 'are'} {count}"
