"""The accuracy page holds what the records hold, and records say where figures are from."""

from __future__ import annotations

import datetime
import importlib
import re
import shlex
import sys
from dataclasses import replace
from typing import Any

import pytest
from source_tree import ROOT

sys.path.insert(0, str(ROOT / "bench"))
accuracy: Any = importlib.import_module("accuracy")
sys.path.remove(str(ROOT / "bench"))

RECORDS = accuracy.records()
README = (ROOT / "README.md").read_text(encoding="utf-8")
each = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)


def test_the_page_is_up_to_date() -> None:
    assert accuracy.PAGE.read_text(encoding="utf-8") == accuracy.page(RECORDS), (
        "run `python bench/accuracy.py`"
    )


def test_the_tables_of_the_readme_are_up_to_date() -> None:
    named = re.findall(r"<!-- record: (\w+),", README)
    assert set(named) >= {"models", "races", "precision"}
    assert accuracy.readme(README, RECORDS) == README, "run `python bench/accuracy.py`"


def test_every_section_has_figures() -> None:
    assert {record.section for record in RECORDS.values()} == set(accuracy.SECTIONS)


@each
def test_rows_fit_their_columns(record: Any) -> None:
    assert record.rows
    assert {len(row) for row in record.rows} == {len(record.columns)}
    assert not record.reads or len(record.cells) == len(record.columns)


@each
def test_the_origin_is_told(record: Any) -> None:
    assert datetime.date.fromisoformat(record.date) > datetime.date(2026, 1, 1)
    assert re.fullmatch("[0-9a-f]{8}", record.commit)
    words = shlex.split(record.command)
    assert words[0] in ("python", "pytest", "warplint")
    missing = [word for word in words if word.startswith("bench/") and not (ROOT / word).exists()]
    assert missing == []
    assert [test for test in record.tests if not (ROOT / test).exists()] == []


def sample(**changes: Any) -> Any:
    return replace(
        RECORDS["models"],
        command="python -c 'import sys; print(sys.argv[1]); print(7, 8)' FOLDER/part",
        reads=r"^(\d+) (\d+)$", cells=("{0}", "{1} of {0}", "x"), **changes,
    )  # fmt: skip


def test_a_record_is_measured_by_its_command() -> None:
    record = accuracy.measured(sample(), {"FOLDER": "/at"}, "0123abcd")
    assert record.rows == [["7", "8 of 7", "x"]]
    assert record.commit == "0123abcd"
    assert record.date == datetime.datetime.now(datetime.UTC).date().isoformat()


def test_folders_are_put_into_the_command() -> None:
    record = replace(sample(), reads="^(.*)/part$", cells=("{0}",))
    assert accuracy.measured(record, {"FOLDER": "/at"}, "0123abcd").rows == [["/at"]]


def test_an_output_without_a_row_is_no_measurement() -> None:
    with pytest.raises(SystemExit, match="no line of its output is a row"):
        accuracy.measured(replace(sample(), reads="nothing"), {}, "0123abcd")


def test_a_record_is_stored_as_it_was(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy, "RECORDS", tmp_path)
    for name, record in RECORDS.items():
        accuracy.store(name, record)
    assert accuracy.records() == RECORDS


def test_bars_in_cells_do_not_end_them() -> None:
    record = replace(sample(), columns=["a"], rows=[["x|y"]])
    assert accuracy.table(record).splitlines()[-1] == r"| x\|y |"
