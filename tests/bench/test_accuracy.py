"""The accuracy page holds what the records hold, and records say where figures are from."""

from __future__ import annotations

import argparse
import datetime
import json
import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from git_command import git
from source_tree import ROOT, bench_module

if TYPE_CHECKING:
    from pathlib import Path

accuracy: Any = bench_module("accuracy")
RECORDS = accuracy.records()
README = (ROOT / "README.md").read_text(encoding="utf-8")
each = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)


def test_the_page_is_up_to_date() -> None:
    assert accuracy.PAGE.read_text(encoding="utf-8") == accuracy.page(
        RECORDS, accuracy.last_run()
    ), "run `python bench/accuracy.py`"


def test_the_tables_of_the_readme_are_up_to_date() -> None:
    named = re.findall(r"<!-- record: (\w+),", README)
    assert set(named) >= {"models", "races", "precision"}
    assert accuracy.readme(README, RECORDS) == README, "run `python bench/accuracy.py`"


def test_every_section_has_figures() -> None:
    assert {record.section for record in RECORDS.values()} == set(accuracy.SECTIONS)


@each
def test_what_is_wrong_is_told(record: Any) -> None:
    assert record.wrong


@each
def test_a_record_is_a_study_or_can_be_measured(record: Any) -> None:
    assert bool(record.study) != bool(record.reads or record.tests)


def test_the_last_run_names_records_and_no_folder_of_a_machine() -> None:
    run = accuracy.last_run()
    assert run.left.keys() <= {name for name, record in RECORDS.items() if not record.study}
    assert [reason for reason in run.left.values() if "/home" in reason or "/work" in reason] == []


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


def named(names: list[str], **changes: Any) -> Any:
    common = {"all": False, "without": [], "resume": False}
    return argparse.Namespace(what=["measure", *names], **{**common, **changes})


def test_all_are_the_records_that_are_no_study() -> None:
    names = accuracy.names_of(RECORDS, named([], all=True, without=["fuzz"]), [])
    assert "models" in names
    assert "fuzz" not in names
    assert [name for name in names if RECORDS[name].study] == []


def test_what_this_commit_has_is_not_measured_again() -> None:
    known = {**RECORDS, "models": replace(RECORDS["models"], commit="0123abcd")}
    names = accuracy.names_of(known, named([], all=True, resume=True), ["0123abcd"])
    assert "models" not in names
    assert "killed" in names


@pytest.mark.parametrize("name", ["registers", "nothing"])
def test_only_what_can_be_measured_is_asked_for(name: str) -> None:
    with pytest.raises(SystemExit, match=f"not a record that can be measured: {name}"):
        accuracy.names_of(RECORDS, named([name]), [])


def test_the_page_says_what_the_last_run_left() -> None:
    here = replace(RECORDS["models"], commit="0123abcd", title="Here")
    gone = replace(RECORDS["models"], commit="4567abcd", title="Gone")
    study = replace(gone, study="It stands because of that.", title="Study")
    run = accuracy.Run(
        "2026-11-27", "0123abcd", {"gone": "missing: FOLDER/names: get it"}, ["0123abcd"]
    )
    page = accuracy.page({"here": here, "gone": gone, "study": study}, run)
    assert "1 of 2 tables are of the program at this commit; those that were not" in page
    told = "Not measured at `0123abcd` (missing: FOLDER/names: get it): the figures are those of"
    assert page.count("Not measured at") == page.count(told) == 1
    assert page.index("#### Gone") < page.index(told) < page.index("## Studies")
    assert page.index("## Studies") < page.index("### Study") < page.index("because of that.")


def test_commits_of_the_same_program_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accuracy, "ROOT", tmp_path)
    git(tmp_path, "init", "-q")
    commits = []
    for name in ("analyzer/a.py", "rules/b.py", "docs/page.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name, encoding="utf-8")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", name)
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
    known = {each: replace(RECORDS["models"], commit=each) for each in [*commits, "f" * 40]}
    assert accuracy.same_program(known, commits[2]) == sorted(commits[1:])


def test_a_run_over_all_keeps_what_it_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(accuracy, "LAST_RUN", tmp_path / "last_run.json")
    monkeypatch.setattr(accuracy, "commit_of_tree", lambda: "0123abcd")
    monkeypatch.setattr(accuracy, "ROOT", tmp_path)
    monkeypatch.setattr(accuracy, "store", lambda *_: None)
    command = "python -c 'print(1 / 0)'"
    known = {
        "models": replace(RECORDS["models"], command=command, reads="."),
        "demangling": replace(RECORDS["demangling"], programs=()),
        "fuzz": RECORDS["fuzz"],
    }
    options = named([], all=True, without=["fuzz"], data=tmp_path, at=[])
    assert list(accuracy._measure(known, options)) == ["models"]
    left = json.loads((tmp_path / "last_run.json").read_text(encoding="utf-8"))["left"]
    assert left["fuzz"] == "it takes long"
    assert left["models"] == "its command failed"
    assert left["demangling"].startswith("missing: FOLDER/names: nm -D")
    assert "models: FAILED: " in capsys.readouterr().out


def test_a_record_is_stored_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy, "RECORDS", tmp_path)
    for name, record in RECORDS.items():
        accuracy.store(name, record)
    assert accuracy.records() == RECORDS


def test_bars_in_cells_do_not_end_them() -> None:
    record = replace(RECORDS["models"], columns=["a"], rows=[["x|y"]])
    assert accuracy.table(record).splitlines()[-1] == r"| x\|y |"
