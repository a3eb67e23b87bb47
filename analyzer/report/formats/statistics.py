"""Findings counted by rule, for `--statistics`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..text.table import render_table
from .json_report import dump
from .summary import summary_lines

if TYPE_CHECKING:
    from ...engine.result import RunResult
    from ..text.palette import Palette


def render_statistics(result: RunResult, format: str, palette: Palette) -> str:
    """A line per rule with findings, the most frequent first, then the summary; or JSON."""
    counts = Counter(finding.rule for finding in result.findings)
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0].code))
    if format == "json":
        return dump(
            {
                "statistics": [
                    {"rule": rule.code, "name": rule.name, "count": count} for rule, count in common
                ]
            }
        )
    rows = [(str(count), rule.code, rule.name) for rule, count in common]
    lines = render_table(("count", "rule", "name"), rows, palette) if rows else []
    return "".join(f"{line}\n" for line in [*lines, *summary_lines(result, palette)])
