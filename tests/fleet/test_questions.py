"""What is asked of a fleet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.config.errors import UsageError
from warplint.analyzer.fleet.questions import QUESTIONS, answers
from warplint.analyzer.fleet.subjects import Subject
from warplint.analyzer.fleet.survey import Survey, failed
from warplint.analyzer.fleet.tables import COLUMNS, Tables
from warplint.analyzer.report.fleet import fleet_json, fleet_lines, fleet_page
from warplint.analyzer.report.text.palette import Palette

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = Subject("https://example.com/one", "v1"), Subject("https://example.com/one", "v2")
TWO, GONE = Subject("https://example.com/two"), Subject("https://example.com/<gone>")


def checked(subject: Subject, *findings: tuple[str, str, float | None]) -> Survey:
    row = failed(subject, "").repository | {"status": "checked", "kernels": 4, "commit": "c" * 40}
    rows: list[dict[str, Any]] = [
        dict.fromkeys(COLUMNS["findings"])
        | {"repository": subject.name, "number": number, "rule": rule, "severity": severity}
        | {"gain": gain, "path": "a.cu", "line": number, "kernel": "k<float>"}
        for number, (rule, severity, gain) in enumerate(findings, 1)
    ]
    return Survey(row, [], rows)


def written(folder: Path, surveys: dict[Subject, Survey]) -> str:
    tables = Tables(str(folder))
    tables.prepare()
    for subject, survey in surveys.items():
        tables.keep(subject, survey)
    tables.write_parquet(list(surveys))
    return str(folder)


@pytest.fixture
def run(tmp_path: Path) -> str:
    slow, race = ("GLB001", "warning", 0.5), ("SYN002", "error", None)
    return written(
        tmp_path / "run",
        {
            OLD: checked(OLD, race, slow, slow),
            NEW: checked(NEW, slow, slow, slow),
            TWO: checked(TWO, ("GLB001", "warning", 0.75)),
            GONE: failed(GONE, "no network"),
        },
    )


def asked(folders: list[str], word: str) -> list[dict[str, Any]]:
    (answer,) = answers(folders, [word], 0)
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


def test_repositories(run: str) -> None:
    rows = asked([run], "repositories")
    assert [(row["repository"], row["errors"], row["warnings"]) for row in rows] == [
        (GONE.name, 0, 0),
        (OLD.name, 1, 2),
        (NEW.name, 0, 3),
        (TWO.name, 0, 1),
    ]
    assert rows[0]["why"] == "no network"
    assert rows[1]["per 100 kernels"] == 75.0


def test_rules(run: str) -> None:
    found = [(row["rule"], row["findings"], row["repositories"]) for row in asked([run], "rules")]
    assert found == [("GLB001", 6, 3), ("SYN002", 1, 1)]


def test_the_trend_is_between_the_first_and_the_last_revision(run: str) -> None:
    assert asked([run], "trend") == [
        {"repository": OLD.place, "rule": "GLB001", "first": 2, "last": 3, "change": 1},
        {"repository": OLD.place, "rule": "SYN002", "first": 1, "last": 0, "change": -1},
    ]


def test_the_trend_of_two_runs(run: str, tmp_path: Path) -> None:
    later = written(tmp_path / "later", {TWO: checked(TWO)})
    assert {
        "repository": TWO.place,
        "rule": "GLB001",
        "first": 1,
        "last": 0,
        "change": -1,
    } in asked([run, later], "trend")


def test_gains(run: str) -> None:
    rows = asked([run], "gains")
    assert (rows[0]["repository"], rows[0]["place"], rows[0]["gain"]) == (TWO.name, "a.cu:1", 0.75)
    assert len(rows) == 6


def test_reports(run: str) -> None:
    found = answers([run], list(QUESTIONS), 2)
    text = "\n".join(fleet_lines(found, Palette(False)))
    assert "4 more rows; --most 0 shows all" in text
    assert "75 %" in text
    page = fleet_page(found, "1.0")
    assert "&lt;gone&gt;" in page
    assert "<gone>" not in page
    document = json.loads(fleet_json(found))
    assert document["Where most can be gained"][0]["gain"] == 0.75


def test_a_folder_without_tables(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no tables"):
        answers([str(tmp_path)], ["rules"])
