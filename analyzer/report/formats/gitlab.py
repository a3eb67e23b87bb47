"""GitLab's Code Quality report: a list of issues (docs.gitlab.com, "Code Quality report format").

In: a `RunResult`. Out: JSON. The fingerprint is made of what makes a finding the same defect, its
path, and a count, so that it stays when code moves and differs between findings that look alike.
"""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING

from ...findings.finding import Severity
from ...findings.identity import Identity, identity
from ..text.words import doubt, doubt_names
from .repository_paths import RepositoryPaths

if TYPE_CHECKING:
    from ...engine.result import RunResult
    from .json_report import Record

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.NOTE: "info"}


def render_gitlab(result: RunResult) -> str:
    """The report of one run of `check` as GitLab's Code Quality report."""
    paths = RepositoryPaths()
    counts: Counter[tuple[Identity, str]] = Counter()
    issues: list[Record] = []
    for finding in result.findings:
        path = paths.of(finding.span.path)
        key = identity(finding), path
        counts[key] += 1
        name = f"{finding.rule.code} {finding.rule.name}{doubt(finding)}"
        words = "\0".join((*key[0], path, str(counts[key])))
        issues.append(
            {
                "description": f"{name}: {finding.text}{doubt_names(finding)}",
                "check_name": finding.rule.code,
                "fingerprint": sha256(words.encode("utf-8", "surrogatepass")).hexdigest(),
                "severity": _SEVERITIES[finding.severity],
                "location": {
                    "path": path,
                    "lines": {"begin": finding.span.line, "end": finding.span.end_line},
                },
            }
        )
    return json.dumps(issues, indent=2) + "\n"
