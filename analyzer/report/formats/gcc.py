"""Lines as gcc and clang write them: `file:line:column: severity: text [rule]`.

In: a `RunResult`. Out: a line for each finding and problem, related places as notes below it, as
compilers have them. Editors, makes and CI systems that know compilers know this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.problem import Damage
from ..text.cells import printable_line
from ..text.words import doubt, doubt_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...engine.result import RunResult
    from ...findings.finding import Finding
    from ...source.problem import Problem
    from ...source.text import Span

_SEVERITIES = {Damage.FATAL: "error", Damage.PARTIAL: "warning"}


def render_gcc(result: RunResult) -> str:
    """The report of one run of `check` in lines as gcc writes them."""
    return "".join(f"{printable_line(line)}\n" for line in _lines(result))


def _lines(result: RunResult) -> Iterator[str]:
    for problem in result.problems:
        if problem.damage is not Damage.NOTICE:
            yield _problem(problem)
    for finding in result.findings:
        yield from _finding(finding)


def _problem(problem: Problem) -> str:
    place = f"{problem.path}:" if problem.span is None else _place(problem.span)
    return f"{place} {_SEVERITIES[problem.damage]}: {problem.message}; {problem.advice} [warplint]"


def _finding(finding: Finding) -> Iterator[str]:
    text = f"{finding.text}{doubt(finding)}{doubt_names(finding)}"
    name = f"[{finding.rule.code} {finding.rule.name}]"
    yield f"{_place(finding.span)} {finding.severity.value}: {text} {name}"
    for each in finding.related:
        yield f"{_place(each.span)} note: {each.label}"
    for fix in finding.fixes:
        yield f"{_place(finding.span)} note: {fix.title}"


def _place(span: Span) -> str:
    return f"{span.path}:{span.line}:{span.column}:"
