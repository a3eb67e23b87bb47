"""
## What it does

Finds suppression comments, or single rules named in them, that suppress nothing.

## Why is this bad?

A suppression that outlives its cause hides the next defect on its line. It also points the reader
to a problem that no longer exists.

## Example

```cuda
tile[threadIdx.y][threadIdx.x] = x;  // warplint: ignore[bank-conflict] rows are short
```

## Use instead

```cuda
tile[threadIdx.y][threadIdx.x] = x;
```

The fix removes the rule, or the whole comment when no rule remains.

## Known problems

What a comment suppresses can depend on `--arch`, `--block`, macros and the launches seen: run with
the settings that you commit with. A comment is not checked if its file could not be read
completely, if one of its rules was not applied, if a nearby source that includes its file is not
part of the run, or if it is in a header with kernels for which the run saw no launch: the finding
may appear only with the file that includes the header.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Applicability, Edit, Finding, Fix, Part, Severity
from ...analyzer.findings.rule import Category, Rule, Subject, Tag
from ...analyzer.source.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyzer.findings.suppression_use import SelectorUse, SuppressionUse
    from ...analyzer.findings.suppressions import Suppression

RULE = Rule(
    code="SUP001",
    name="unused-suppression",
    summary="a suppression comment that suppresses nothing",
    category=Category.SUSPICIOUS,
    severity=Severity.WARNING,
    tag=Tag.UNNECESSARY,
    subject=Subject.SUPPRESSIONS,
)


def check(use: SuppressionUse) -> Iterator[Finding]:
    """One finding for each comment with a word that was of no use."""
    for suppression, words in use.each():
        idle = [word for word in words if word.idle]
        if idle:
            yield _finding(suppression, words, idle)


def _finding(
    suppression: Suppression, words: Sequence[SelectorUse], idle: Sequence[SelectorUse]
) -> Finding:
    names = ", ".join(f"`{word.selector.text}`" for word in idle)
    whole = len(idle) == len(words)
    left = [word.selector.text for word in words if word not in idle]
    if whole:
        fix = Fix("remove the comment", Applicability.SAFE, tuple(_removal(suppression)))
    else:
        fix = Fix(f"remove {names}", Applicability.SAFE, tuple(_shortened(suppression, left)))
    return Finding(
        rule=RULE,
        span=suppression.span if whole else idle[0].selector.span,
        message=(Part(f"the suppression of {names} suppresses nothing"),),
        kernel="",
        severity=RULE.severity,
        label="unused",
        fixes=(fix,),
    )


def _shortened(suppression: Suppression, left: Sequence[str]) -> Iterator[Edit]:
    """The words that are left, in every comment of the suppression that has a list."""
    for comment in suppression.comments:
        if comment.brackets.text:
            yield Edit(comment.brackets, f"[{', '.join(left)}]")


def _removal(suppression: Suppression) -> Iterator[Edit]:
    """Each comment goes: with its line when it has it to itself, else with the blanks before it."""
    for comment in suppression.comments:
        span, text = comment.span, comment.span.source.text
        opening = text[span.start : comment.directive.start]
        if opening.strip("/*! \t"):  # the comment says something else first
            start = span.start + len(opening.rstrip())
            yield Edit(Span(span.source, start, comment.directive.end), "")
        else:
            yield _without(span)


def _without(span: Span) -> Edit:
    source = span.source
    line_start = source.line_starts[span.line - 1]
    before = source.text[line_start : span.start]
    after = source.line(span.end_line)[span.end_column - 1 :]
    if not before.strip() and not after.strip():
        last = span.end_line
        whole = source.line_starts[last] if last < len(source.line_starts) else len(source.text)
        return Edit(Span(source, line_start, whole), "")
    if after[:1].strip():  # code goes on at once: a comment parts words as a blank does
        return Edit(span, "" if before[-1:].isspace() or not before else " ")
    return Edit(Span(source, line_start + len(before.rstrip()), span.end), "")
