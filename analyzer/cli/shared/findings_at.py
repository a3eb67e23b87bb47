"""The findings at a place of a file that a command line names as `FILE:LINE[:COLUMN]`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ...config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...config.project import Project
    from ...engine.inputs import Inputs
    from ...engine.result import RunResult
    from ...findings.finding import Finding
    from ...source.text import Span


def read_place(text: str) -> tuple[str, int, int | None]:
    """The parts of a `FILE:LINE` or `FILE:LINE:COLUMN` of the command line."""
    match = re.fullmatch(r"(.+?):([0-9]{1,9})(?::([0-9]{1,9}))?", text)
    if match is None:
        raise UsageError(f"`{text}` is not FILE:LINE", "write FILE:LINE, such as reduce.cu:12")
    return match[1], int(match[2]), int(match[3]) if match[3] else None


def checked(path: str, project: Project) -> tuple[Inputs, RunResult]:
    """The findings of the one file that a command line names, those only possible too."""
    from dataclasses import replace

    from ...engine.check import check_inputs

    inputs = inputs_of(path)
    profile = project.profile(path, project.rules())
    settings = replace(profile.settings, show_possible=True)
    profile = replace(profile, settings=settings)
    return inputs, check_inputs(inputs, lambda _: profile, arch=settings.arch)


def inputs_of(path: str) -> Inputs:
    """The one file that a command line names; what cannot be read is a usage error."""
    from ...engine.inputs import collect_inputs

    inputs = collect_inputs([path])
    for problem in inputs.problems:
        raise UsageError(f"{problem.path}: {problem.message}", problem.advice)
    return inputs


def all_findings(result: RunResult) -> Iterator[Finding]:
    """All findings of a run, suppressed ones too."""
    yield from result.findings
    yield from (finding for finding, _ in result.suppressed)


def covers(finding: Finding, line: int, column: int | None) -> bool:
    """Whether a finding is at the line and column that a command line names."""
    return _is_on(finding.span, line, column)


def is_at(span: Span, path: str, line: int, column: int | None) -> bool:
    """Whether a span covers the `FILE:LINE:COLUMN` that a command line names."""
    return os.path.realpath(span.path) == os.path.realpath(path) and _is_on(span, line, column)


def _is_on(span: Span, line: int, column: int | None) -> bool:
    if column is None:
        return span.line <= line <= span.end_line
    return (span.line, span.column) <= (line, column) < (span.end_line, span.end_column)


def other_lines(result: RunResult) -> str:
    """Advice of a command (`explain`, `verify`) for a user who names a line without a finding."""
    lines = sorted({finding.span.line for finding in all_findings(result)})
    if not lines:
        return "the file has no findings"
    shown = ", ".join(map(str, lines[:12])) + (", ..." if len(lines) > 12 else "")
    return f"there are findings on line {shown}"
