from __future__ import annotations

import json
from typing import TYPE_CHECKING

from warplint.analyzer.report.formats.json_report import render_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Sample


def test_report(sample: Sample, golden: Callable[[str, str], None]) -> None:
    golden("report.json", render_json(sample.result, "1.2.3", 3))


def test_keys_that_users_rely_on(sample: Sample) -> None:
    report = json.loads(render_json(sample.result, "1.2.3", 3))
    assert report.keys() >= {"findings", "inputs", "summary"}
    for finding in report["findings"]:
        assert finding.keys() >= {
            *("rule", "name", "path", "line", "column", "end_line", "end_column", "kernel"),
            *("severity", "certainty", "message", "evidence", "assumptions", "related", "fixes"),
        }
    for item in report["inputs"]:
        assert item.keys() >= {"path", "status", "kernels", "unanalysed", "unanalysed_reasons"}
        assert sum(r["count"] for r in item["unanalysed_reasons"]) == item["unanalysed"]
    assert report["summary"]["exit_code"] == 3


def test_evidence_is_data(sample: Sample) -> None:
    report = json.loads(render_json(sample.result, "1.2.3", 3))
    assert report["findings"][1]["evidence"] == {
        "arriving_threads": 16,
        "witness": {"arrives": 0, "stays_away": 16},
        "depth": 1,
    }
