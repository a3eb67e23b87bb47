"""Findings and problems as the diagnostics of the Language Server Protocol.

In: a finding that was joined with those of its cause, or a problem of a file. Out: a `Diagnostic`
as plain data. The message is what the concise report says, with the advice below it; the places
of a finding, and what its threads do step by step, are related information.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..findings.finding import Severity
from ..findings.rule import Tag
from ..report.formats.gain import all_places
from ..report.text.words import doubt, doubt_lines
from ..source.problem import Damage
from ..source.records import dataclass
from .positions import range_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..findings.finding import Finding
    from ..source.problem import Problem
    from ..source.text import Span

Plain = dict[str, Any]

SOURCE = "warplint"
_ERROR, _WARNING, _INFORMATION, _HINT = 1, 2, 3, 4
_SEVERITIES = {
    Severity.ERROR: _ERROR,
    Severity.WARNING: _WARNING,
    Severity.NOTE: _INFORMATION,
}
_DAMAGES = {Damage.FATAL: _ERROR, Damage.PARTIAL: _INFORMATION, Damage.NOTICE: _HINT}
_TAGS = {Tag.UNNECESSARY: 1, Tag.DEPRECATED: 2}
_START = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


@dataclass(frozen=True, slots=True)
class Writing:
    """How places are written for one client of the language server."""

    encoding: str
    uri_of: Callable[[str], str]
    rule_url: str = ""  # with `{code}` or `{name}` in it

    def range(self, span: Span) -> Plain:
        """A range."""
        return range_of(span, self.encoding)

    def location(self, span: Span) -> Plain:
        """A range of a file."""
        return {"uri": self.uri_of(span.path), "range": self.range(span)}


def diagnostic(finding: Finding, number: int, writing: Writing) -> Plain:
    """A finding as a diagnostic of an editor; its number is how an action names it."""
    plain: Plain = {
        "range": writing.range(finding.span),
        "severity": _SEVERITIES[finding.severity],
        "code": finding.rule.code,
        "source": SOURCE,
        "message": "\n".join(_message(finding)),
        "data": {"id": number},
    }
    if writing.rule_url:
        url = writing.rule_url.replace("{code}", finding.rule.code)
        plain["codeDescription"] = {"href": url.replace("{name}", finding.rule.name)}
    if finding.rule.tag is not None:
        plain["tags"] = [_TAGS[finding.rule.tag]]
    related = list(_related(finding, writing))
    if related:
        plain["relatedInformation"] = related
    return plain


def problem_diagnostic(problem: Problem, writing: Writing) -> Plain:
    """A problem of an analysis as a diagnostic of an editor."""
    return {
        "range": _START if problem.span is None else writing.range(problem.span),
        "severity": _DAMAGES[problem.damage],
        "source": SOURCE,
        "message": f"{problem.message}\nhelp: {problem.advice}",
    }


def refusal(message: str, advice: str) -> Plain:
    """A diagnostic at a document's beginning: why it is not checked at all."""
    text = f"not checked: {message}" + (f"\nhelp: {advice}" if advice else "")
    return {"range": _START, "severity": _ERROR, "source": SOURCE, "message": text}


def _message(finding: Finding) -> Iterator[str]:
    yield f"{finding.text}{doubt(finding)} [{finding.rule.name}]"
    yield from (f"note: {line}" for line in doubt_lines(finding))
    if finding.fixes:
        yield f"help: {finding.fixes[0].title}"


def _related(finding: Finding, writing: Writing) -> Iterator[Plain]:
    for each in finding.related:
        yield _place(each.span, each.label, writing)
    for span, label, kernel in all_places(finding):
        if span != finding.span:
            yield _place(span, label or f"also in {kernel}", writing)
    for flow in finding.flows:
        for step in flow.steps:
            yield _place(step.span, f"{flow.name}: {step.message}", writing)
    if finding.macro is not None:
        yield _place(finding.macro, "in the body of this macro", writing)


def _place(span: Span, message: str, writing: Writing) -> Plain:
    return {"location": writing.location(span), "message": message}
