"""Everything behind the findings of one line, for `warplint explain`.

In: findings, and the accesses of their line. Out: text: each finding as in the full report, the
evidence that only machines get there, the accesses with lanes and banks, and the part of the rule's
page that says why it matters; or one record.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..formats.console import Page, finding_lines
from ..formats.fixable import Fixable
from ..formats.json_report import finding_record
from ..text.cells import printable
from ..text.palette import Palette, Role
from ..text.words import fact_title
from .accesses import access_maps, access_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyses.memory_traffic.access_table import CountedAccess
    from ...findings.finding import Finding
    from ..formats.json_report import Record

_SECTIONS = ("Why is this bad?", "Use instead", "Known problems")


def explanation(
    findings: Sequence[Finding], rows: Sequence[CountedAccess], width: int, palette: Palette
) -> str:
    """What `explain` shows: the findings one by one, then the accesses, then the rules."""
    blocks = ["\n".join(_finding(finding, width, palette)) for finding in findings]
    if rows:
        blocks.append("\n".join(access_maps(rows, palette)))
    rules = {finding.rule.code: finding.rule for finding in findings}
    for rule in rules.values():
        lines = [palette.paint(f"{rule.code} {rule.name}", Role.STRONG)]
        for title in _SECTIONS:
            if title in rule.sections:
                lines += ["", palette.paint(title, Role.STRONG), "", rule.sections[title]]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def explanation_record(findings: Sequence[Finding], rows: Sequence[CountedAccess]) -> Record:
    """What `explain` shows, as plain data."""
    return {
        "findings": [finding_record(finding) for finding in findings],
        "accesses": [access_record(row) for row in rows],
    }


def _finding(finding: Finding, width: int, palette: Palette) -> Iterator[str]:
    yield from finding_lines(finding, "", Page(width, palette, Fixable(())))
    silent = [fact for fact in finding.evidence if fact.text is None]
    if silent:
        yield ""
        yield palette.paint("further evidence", Role.STRONG)
        for fact in silent:
            yield f"  {fact_title(fact)}: {printable(json.dumps(fact.value, ensure_ascii=False))}"
