"""Findings as Markdown, for a comment on a change or the summary of a job.

In: a `RunResult`. Out: a table of findings, the worst first, and the summary below it. Cells hold
text only: nothing of a path or a message becomes markup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..text.cells import printable_line
from ..text.palette import Palette
from ..text.words import doubt, doubt_lines
from .repository_paths import RepositoryPaths
from .summary import summary_lines

if TYPE_CHECKING:
    from ...engine.result import RunResult
    from ...findings.finding import Finding


def render_markdown(result: RunResult) -> str:
    """The report of one run of `check` as Markdown."""
    paths = RepositoryPaths()
    summary = [_cell(line) for line in summary_lines(result, Palette())]
    lines = [f"### {summary[0]}", ""]
    if result.findings:
        lines += ["| severity | rule | location | finding |", "|---|---|---|---|"]
        ordered = sorted(result.findings, key=lambda item: item.severity.rank)
        lines += [_row(finding, paths) for finding in ordered]
        lines.append("")
    lines += [f"- {line}" for line in summary[1:]]
    return "\n".join(lines) + "\n"


def _row(finding: Finding, paths: RepositoryPaths) -> str:
    place = f"{paths.of(finding.span.path)}:{finding.span.line}"
    doubts = "".join(f"<br>{_cell(line)}" for line in doubt_lines(finding))
    helps = "".join(f"<br>help: {_cell(fix.title)}" for fix in finding.fixes)
    cells = (
        finding.severity.value,
        f"{finding.rule.code} {finding.rule.name}{doubt(finding)}",
        _cell(place),
        _cell(finding.text) + doubts + helps,
    )
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#~&])", r"\\\1", printable_line(text))
