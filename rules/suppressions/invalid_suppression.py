"""
## What it does

Finds comments that look like suppressions but suppress nothing, because they are malformed: no rule
is named, the rule does not exist, or an `ignore-begin` has no `ignore-end`.

## Why is this bad?

The author believes that a finding is suppressed, but it is reported again or never existed.

## Example

```cuda
tile[threadIdx.x][0] = x;  // warplint: ignore[bank-conflit]
tile[threadIdx.x][1] = x;  // warplint: ignore
```

## Use instead

```cuda
tile[threadIdx.x][0] = x;  // warplint: ignore[bank-conflict] written once per block
tile[threadIdx.x][1] = x;  // warplint: ignore[SHM001, SYN001] both are intended
```

`ignore[ALL]` suppresses every rule.

## Known problems

None.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyzer.findings.suppression_use import SuppressionUse
    from ...analyzer.source.text import Span

RULE = Rule(
    code="SUP002",
    name="invalid-suppression",
    summary="a malformed suppression comment, which suppresses nothing",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    subject=Subject.SUPPRESSIONS,
)

_COMPARED = 100  # words of a file that are compared with all there are


def check(use: SuppressionUse) -> Iterator[Finding]:
    """One finding for each flawed comment and each unknown rule."""
    for flaw in use.flaws:
        yield _finding(flaw.span, flaw.message, flaw.advice)
    unknown = (word for words in use.uses for word in words if not word.codes)
    for number, word in enumerate(unknown):
        near = _nearest(word.selector.text, use) if number < _COMPARED else None
        advice = f"did you mean `{near}`?" if near else "`warplint rules` lists the rules"
        message = f"there is no rule `{word.selector.text}`"
        yield _finding(word.selector.span, message, advice)


def _nearest(text: str, use: SuppressionUse) -> str | None:
    """The code or the name that a word may have been meant for."""
    known = [name for rule in use.rules.values() for name in (rule.code, rule.name)]
    near = get_close_matches(text.lower(), [name.lower() for name in known], n=1)
    return next((name for name in known if near and name.lower() == near[0]), None)


def _finding(span: Span, message: str, advice: str) -> Finding:
    return Finding(
        rule=RULE,
        span=span,
        message=(Part(message),),
        kernel="",
        severity=RULE.severity,
        label="suppresses nothing",
        fixes=(Fix(advice),),
    )
