"""Annotations of a GitHub Actions log (workflow commands `::error file=…::message`).

In: a `RunResult`. Out: text for the log. GitHub shows ten annotations of each type for a step and
drops the others without a word; so the worst become annotations and the others plain lines, and a
last line says how many. Data and properties are escaped as actions/toolkit does.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...findings.finding import Severity
from ...source.problem import Damage
from ...source.words import plural
from ..text.cells import printable_line
from ..text.log_commands import harmless
from ..text.words import doubt, doubt_lines, doubt_names
from .repository_paths import RepositoryPaths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...engine.result import RunResult
    from ...findings.finding import Finding

#: GitHub keeps so many annotations of each type for one step.
MOST_OF_A_TYPE = 10

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render_github(result: RunResult) -> str:
    """The report of one run of `check` as annotations of GitHub Actions."""
    return "".join(f"{line}\n" for line in _lines(result))


def _lines(result: RunResult) -> Iterator[str]:
    paths = RepositoryPaths()
    shown: Counter[str] = Counter()
    left_out: list[Finding] = []
    for problem in result.problems:
        if problem.damage is not Damage.NOTICE and shown["error"] < MOST_OF_A_TYPE:
            shown["error"] += 1
            place = {"file": paths.of(problem.path), "title": "warplint"}
            yield _command("error", place, f"{problem.message}; {problem.advice}")
    for finding in sorted(result.findings, key=lambda item: item.severity.rank):
        command = _COMMANDS[finding.severity]
        if shown[command] == MOST_OF_A_TYPE:
            left_out.append(finding)
            continue
        shown[command] += 1
        yield _command(command, _properties(finding, paths), _message(finding))
    for finding in left_out:
        name = f"{finding.rule.code}{doubt(finding)}"
        line = f"{finding.span.path}:{finding.span.line}: {name} {finding.text}"
        line += doubt_names(finding)
        yield harmless(printable_line(line))
    if left_out:
        count = plural(len(left_out), "finding")
        yield f"{count} not annotated: GitHub shows only {MOST_OF_A_TYPE} annotations of each type"


def _properties(finding: Finding, paths: RepositoryPaths) -> dict[str, str]:
    span = finding.span
    place = {"file": paths.of(span.path), "line": str(span.line), "endLine": str(span.end_line)}
    if span.line == span.end_line:  # GitHub takes columns only then
        place |= {"col": str(span.column), "endColumn": str(span.end_column)}
    return place | {"title": f"{finding.rule.code} {finding.rule.name}{doubt(finding)}"}


def _message(finding: Finding) -> str:
    lines = [finding.text]
    lines += [fact.text for fact in finding.evidence if fact.text is not None]
    lines += doubt_lines(finding)
    lines += [f"help: {fix.title}" for fix in finding.fixes]
    return "\n".join(lines)


def _command(name: str, properties: Mapping[str, str], message: str) -> str:
    shown = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    return f"::{name} {shown}::{_escaped(message, '')}"


def _escaped(text: str, more: str) -> str:
    """Text that cannot end its command or begin another one, of whatever CI."""
    text = harmless(text).replace("%", "%25")
    for character in "\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return printable_line(text)
