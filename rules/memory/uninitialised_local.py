"""
## What it does

Reports local variables that are used although no path to the use assigns them a value, or one path
does not that data decides for, or a loop only after the use; and local arrays that are read
although nothing is ever stored in them, or not in the element that is read. In PTX: registers and
`.local` arrays.

## Why is this bad?

The value is whatever the register or the stack held before. NVIDIA's compiler warns only in the
simplest cases, and not about sums that are never set to zero.

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

The finding is at the place where the value has an effect: where it is stored, decides a branch or
is part of an address. A path counts where an order of data or of a thread's index decides for it
(`<`, `>`), or one equality of what is loaded; several equalities, sizes and loops that may not
iterate are taken to leave nothing over. Not checked are variables whose address is taken, members
that a constructor leaves out, elements at indices that are not constant, arguments of calls and
inline assembly, and code that a template instance guards with a flag of the host, which may be set
for other instances only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related, Severity
from ...analyzer.findings.rule import Category, Rule
from ...analyzer.ir.memory import Space
from .._shared.places import declared_here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.analyses.storage.unwritten import UnwrittenUse
    from ...analyzer.ir.operations import Operation

RULE = Rule(
    code="MEM004",
    name="uninitialised-local",
    summary="a local variable or array is used where nothing has written it",
    category=Category.CORRECTNESS,
    severity=Severity.WARNING,
    references=("CWE-457",),
    costly=True,
)


def check(facts: KernelFacts) -> Iterator[Finding]:
    """One finding for each local variable and array that is used where nothing has written it."""
    from ...analyzer.analyses.storage.partly_unwritten import partly_unwritten, unwritten_at_first
    from ...analyzer.analyses.storage.unwritten import unwritten_reads, unwritten_uses
    from ...analyzer.analyses.storage.unwritten_elements import unwritten_elements

    for use in unwritten_uses(facts):
        text, related = f"{use.name} is used uninitialised", _taken_here(use)
        yield _finding(facts, use.use, use.name, text, related)
    for partly in partly_unwritten(facts):
        condition = partly.branch.terminator.location.span
        text = f"{partly.name} is used uninitialised where line {condition.line} decides so"
        related = (Related(condition, f"one path from here leaves {partly.name} without a value"),)
        yield _finding(facts, partly.use, partly.name, text, related)
    for first in unwritten_at_first(facts):
        loop = first.loop.terminator.location.span
        text = f"{first.name} is used uninitialised in the first iteration"
        related = (Related(loop, f"nothing before this loop gives {first.name} a value"),)
        yield _finding(facts, first.use, first.name, text, related)
    for element in unwritten_elements(facts):
        name = f"{element.item.name}[{element.index}]"
        text = f"{name} is read but never written"
        yield _finding(facts, element.load, name, text, declared_here(element.item))
    for read in unwritten_reads(facts, Space.LOCAL):
        name = read.item.name
        text = f"{name} is read but never written: its contents are undefined"
        yield _finding(facts, read.load, name, text, declared_here(read.item))


def _taken_here(use: UnwrittenUse) -> tuple[Related, ...]:
    """Where the variable itself is read, if that is on another line than where it matters."""
    taken = use.taken
    if taken is None or taken.location.span.line == use.use.location.span.line:
        return ()
    return (Related(taken.location.span, f"{use.name} is read here"),)


def _finding(
    facts: KernelFacts, place: Operation, name: str, text: str, related: tuple[Related, ...] = ()
) -> Finding:
    return Finding(
        RULE,
        place.location.span,
        (Part(text),),
        facts.kernel.label,
        RULE.severity,
        label="undefined value",
        evidence=(Fact("variable", name),),
        related=related,
        fixes=(Fix(f"initialise {name}"),),
    )
