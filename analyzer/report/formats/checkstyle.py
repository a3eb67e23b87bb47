"""Checkstyle's XML, which many review tools read: a `file` for each path, an `error` in it.

In: a `RunResult`. Out: XML; problems stand at the file they are of, without a rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...findings.finding import Severity
from ...source.problem import Damage
from ..text.words import doubt, doubt_lines
from ..text.xml import attribute

if TYPE_CHECKING:
    from ...engine.result import RunResult
    from ...findings.finding import Finding
    from ...source.problem import Problem

_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "info"}


def render_checkstyle(result: RunResult) -> str:
    """The report of one run of `check` as Checkstyle's XML."""
    files: dict[str, list[str]] = {}
    for problem in result.problems:
        if problem.damage is not Damage.NOTICE:
            files.setdefault(problem.path, []).append(_problem(problem))
    for finding in result.findings:
        files.setdefault(finding.span.path, []).append(_finding(finding))
    body = "".join(
        f"  <file name={attribute(path)}>\n{''.join(rows)}  </file>\n"
        for path, rows in files.items()
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f'{head}<checkstyle version="4.3">\n{body}</checkstyle>\n'


def _finding(finding: Finding) -> str:
    span, rule = finding.span, finding.rule
    lines = [f"{finding.text}{doubt(finding)}", *doubt_lines(finding)]
    lines += [f"help: {fix.title}" for fix in finding.fixes]
    return (
        f'    <error line="{span.line}" column="{span.column}"'
        f' severity="{_SEVERITIES[finding.severity]}" message={attribute(chr(10).join(lines))}'
        f" source={attribute(f'warplint.{rule.code}.{rule.name}')}/>\n"
    )


def _problem(problem: Problem) -> str:
    line = 1 if problem.span is None else problem.span.line
    message = attribute(f"{problem.message}; {problem.advice}")
    return f'    <error line="{line}" severity="error" message={message} source="warplint"/>\n'
