"""JSON Lines: one object a line, findings first, then inputs, then the run in numbers.

The objects are those of the JSON report with a `kind` in front, so that a reader can begin before
the end and filter with line tools.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .json_report import finding_record, input_record, summary_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...engine.result import RunResult
    from .json_report import Record


def render_json_lines(result: RunResult, version: str, exit_code: int) -> str:
    """The report of one run of `check` as JSON Lines."""
    return "".join(f"{json.dumps(row)}\n" for row in _rows(result, version, exit_code))


def _rows(result: RunResult, version: str, exit_code: int) -> Iterator[Record]:
    for finding in result.findings:
        yield {"kind": "finding", **finding_record(finding)}
    for finding, item in result.suppressed:
        yield {"kind": "suppressed", **finding_record(finding), "reason": item.reason}
    for each in result.inputs:
        yield {"kind": "input", **input_record(each)}
    yield {"kind": "summary", **summary_record(result, version, exit_code)}
