"""Issues of an Azure Pipelines log (logging commands `##vso[task.logissue …]message`).

In: a `RunResult`. Out: text for the log. Azure knows errors and warnings; notes are plain lines.
Data and properties are escaped as Azure's task library does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...findings.finding import Severity
from ...source.problem import Damage
from ..text.cells import printable_line
from ..text.log_commands import harmless
from ..text.words import doubt, doubt_lines, doubt_names
from .repository_paths import RepositoryPaths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...engine.result import RunResult
    from ...findings.finding import Finding

_TYPES = {Severity.ERROR: "error", Severity.WARNING: "warning"}
_DATA = {"%": "%AZP25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ";": "%3B", "]": "%5D"}


def render_azure(result: RunResult) -> str:
    """The report of one run of `check` for the log of Azure Pipelines."""
    return "".join(f"{line}\n" for line in _lines(result))


def _lines(result: RunResult) -> Iterator[str]:
    paths = RepositoryPaths()
    for problem in result.problems:
        if problem.damage is not Damage.NOTICE:
            place = {"type": "error", "sourcepath": paths.of(problem.path)}
            yield _command(place, f"{problem.message}; {problem.advice}")
    for finding in result.findings:
        kind = _TYPES.get(finding.severity)
        if kind is None:
            name = f"{finding.rule.code}{doubt(finding)}"
            line = f"{finding.span.path}:{finding.span.line}: {name} {finding.text}"
            yield harmless(printable_line(line + doubt_names(finding)))
        else:
            yield _command({"type": kind, **_properties(finding, paths)}, _message(finding))


def _properties(finding: Finding, paths: RepositoryPaths) -> dict[str, str]:
    span = finding.span
    return {
        "sourcepath": paths.of(span.path),
        "linenumber": str(span.line),
        "columnnumber": str(span.column),
        "code": finding.rule.code,
    }


def _message(finding: Finding) -> str:
    lines = [f"{finding.rule.name}: {finding.text}{doubt(finding)}", *doubt_lines(finding)]
    lines += [f"help: {fix.title}" for fix in finding.fixes]
    return "\n".join(lines)


def _command(properties: Mapping[str, str], message: str) -> str:
    shown = "".join(f"{key}={_escaped(value, _PROPERTY)};" for key, value in properties.items())
    return f"##vso[task.logissue {shown}]{_escaped(message, _DATA)}"


def _escaped(text: str, table: Mapping[str, str]) -> str:
    """Text that cannot end its command or begin another one, of whatever CI."""
    return printable_line("".join(table.get(each, each) for each in harmless(text)))
