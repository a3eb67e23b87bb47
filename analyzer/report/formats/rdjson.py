"""Reviewdog's Diagnostic Format (github.com/reviewdog/reviewdog, proto/rdf), which reviews read.

In: a `RunResult`. Out: JSON. Columns count the bytes of a line in UTF-8 from 1, as that format has
them. Fixes that `--fix` would make are suggestions.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ...findings.finding import Applicability, Severity
from ..text.words import doubt, doubt_lines
from .repository_paths import RepositoryPaths

if TYPE_CHECKING:
    from ...engine.result import RunResult
    from ...findings.finding import Finding
    from ...source.text import Span
    from .json_report import Record

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}


def render_rdjson(result: RunResult) -> str:
    """The report of one run of `check` in Reviewdog's format."""
    paths = RepositoryPaths()
    rows = [_diagnostic(finding, paths) for finding in result.findings]
    return json.dumps({"source": {"name": "warplint"}, "diagnostics": rows}, indent=2) + "\n"


def _diagnostic(finding: Finding, paths: RepositoryPaths) -> Record:
    lines = [f"{finding.rule.name}: {finding.text}{doubt(finding)}", *doubt_lines(finding)]
    lines += [f"help: {fix.title}" for fix in finding.fixes]
    own = finding.span.path
    return {
        "message": "\n".join(lines),
        "location": _location(finding.span, paths),
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.rule.code},
        "suggestions": [
            {"range": _range(edit.span), "text": edit.text}
            for fix in finding.fixes
            if fix.applicability is Applicability.SAFE
            for edit in fix.edits
            if edit.span.path == own
        ],
        "related_locations": [
            {"message": each.label, "location": _location(each.span, paths)}
            for each in finding.related
        ],
    }


def _location(span: Span, paths: RepositoryPaths) -> Record:
    return {"path": paths.of(span.path), "range": _range(span)}


def _range(span: Span) -> Record:
    return {"start": _position(span, span.start), "end": _position(span, span.end)}


def _position(span: Span, offset: int) -> Record:
    line, column = span.source.position(offset)
    before = span.source.text[offset - column + 1 : offset]
    return {"line": line, "column": 1 + len(before.encode("utf-8", "surrogatepass"))}
