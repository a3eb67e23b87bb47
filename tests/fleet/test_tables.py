"""What is kept of a fleet on disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from warplint.analyzer.fleet.subjects import Subject
from warplint.analyzer.fleet.survey import Survey, failed
from warplint.analyzer.fleet.tables import COLUMNS, Tables, connected

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO = Subject("https://example.com/one"), Subject("https://example.com/two")


def checked(subject: Subject, **finding: Any) -> Survey:
    row = failed(subject, "").repository | {"status": "checked"}
    findings = [dict.fromkeys(COLUMNS["findings"]) | finding] if finding else []
    return Survey(row, [], findings, {"name": subject.name, "fetch": 1.0, "check": 2.5})


def rows(tables: Tables, table: str) -> list[dict[str, Any]]:
    done = connected().execute(f"SELECT * FROM read_parquet('{tables.parquet(table)}')")
    names = [each[0] for each in done.description]
    return [dict(zip(names, row, strict=True)) for row in done.fetchall()]


def test_rows_come_back_in_the_order_of_the_list(tmp_path: Path) -> None:
    tables = Tables(str(tmp_path / "out"))
    tables.prepare()
    text = 'it\'s "quoted" \u2028 \udcff \x00 \n'
    tables.keep(TWO, checked(TWO, repository=TWO.name, rule="GLB001", line=7, message=text))
    tables.keep(ONE, failed(ONE, "gone"))
    tables.write_parquet([ONE, TWO])
    assert [
        (row["repository"], row["status"], row["why"]) for row in rows(tables, "repositories")
    ] == [
        (ONE.name, "failed", "gone"),
        (TWO.name, "checked", ""),
    ]
    (finding,) = rows(tables, "findings")
    assert (finding["rule"], finding["line"], finding["gain"]) == ("GLB001", 7, None)
    assert finding["message"] == text.replace("\udcff", "?")
    assert rows(tables, "files") == []


def test_only_what_was_checked_is_done(tmp_path: Path) -> None:
    tables = Tables(str(tmp_path))
    tables.prepare()
    assert not tables.is_done(ONE)
    tables.keep(ONE, failed(ONE, "no network"))
    assert not tables.is_done(ONE)
    tables.keep(ONE, checked(ONE))
    assert tables.is_done(ONE)
    assert tables.costs() == {ONE.name: 3.5}


def test_what_an_ended_run_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "parts" / f"{ONE.key}.123").mkdir(parents=True)
    (tmp_path / "costs.jsonl").write_text('{"name": "cut o')
    tables = Tables(str(tmp_path))
    tables.prepare()
    assert os.listdir(tmp_path / "parts") == []
    assert tables.costs() == {}


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    found = []
    for name, order in (("a", (ONE, TWO)), ("b", (TWO, ONE))):
        tables = Tables(str(tmp_path / name))
        tables.prepare()
        for subject in order:
            tables.keep(subject, checked(subject, repository=subject.name, rule="SYN002"))
        tables.write_parquet([ONE, TWO])
        found.append((tmp_path / name / "findings.parquet").read_bytes())
    assert found[0] == found[1]
