"""Records are measured by their commands, and what is missing leaves them as they are."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from git_command import git
from source_tree import bench_module

if TYPE_CHECKING:
    from pathlib import Path

accuracy: Any = bench_module("accuracy")
measuring: Any = bench_module("measuring")
MissingError: Any = bench_module("checkouts").MissingError
RECORDS = accuracy.records()


def sample(code: str = "print(sys.argv[1]); print(7, 8)", **changes: Any) -> Any:
    return replace(
        RECORDS["models"],
        **{
            "command": f"python -c 'import sys; {code}' NAMES/part",
            "reads": r"^(\d+) (\d+)$",
            "cells": ("{0}", "{1} of {0}", "x"),
            **changes,
        },
    )


def measured(record: Any, **places: str) -> Any:
    data = measuring.Data(None, {"NAMES": "/at", **places})
    return measuring.Measurement(data, "0123abcd").measured("models", record)


def test_a_record_is_measured_by_its_command() -> None:
    record = measured(sample())
    assert record.rows == [["7", "8 of 7", "x"]]
    assert record.commit == "0123abcd"
    assert record.date == datetime.datetime.now(datetime.UTC).date().isoformat()
    assert record.load == ""
    assert float(measured(sample(timed=True)).load) >= 0


def test_what_needs_an_idle_machine_waits_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (99.0, 0.0, 0.0))
    with pytest.raises(MissingError, match=r"an idle machine: the load was 99\.0"):
        measured(sample(idle=True))
    monkeypatch.setattr("os.getloadavg", lambda: (0.2, 0.0, 0.0))
    assert measured(sample(idle=True, timed=True)).load == "0.2"


def test_folders_are_put_into_the_command() -> None:
    assert measured(sample(reads="^(.*)/part$", cells=("{0}",))).rows == [["/at"]]


def test_an_output_without_a_row_is_no_measurement() -> None:
    with pytest.raises(measuring.FailedError, match="no line of its output is a row"):
        measured(sample(reads="nothing"))


def test_a_record_of_tests_holds_when_they_pass() -> None:
    record = sample(code="print(1)", reads="")
    assert measured(record).rows == record.rows
    assert measured(record).commit == "0123abcd"
    with pytest.raises(measuring.FailedError, match="ended with 1"):
        measured(sample(code="sys.exit(1)", reads=""))


def test_an_exit_code_may_be_a_result_but_an_exception_is_none() -> None:
    record = sample(code="print(7, 8); sys.exit(1)", ends_with_1=True)
    assert measured(record).rows == [["7", "8 of 7", "x"]]
    with pytest.raises(measuring.FailedError, match="ZeroDivisionError"):
        measured(sample(code="print(7, 8); 1 / 0", ends_with_1=True))


def test_a_command_may_say_what_is_missing() -> None:
    code = 'print("missing: a thing", file=sys.stderr); sys.exit(2)'
    with pytest.raises(MissingError, match=r"^a thing$"):
        measured(sample(code=code))


def test_missing_programs_and_folders_are_named(tmp_path: Path) -> None:
    data = measuring.Data(tmp_path)
    with pytest.raises(MissingError, match="no-such-program is not installed"):
        data.command("models", sample(programs=("no-such-program",)))
    with pytest.raises(MissingError, match="FOLDER/names: nm -D"):
        data.command("models", sample())
    with pytest.raises(MissingError, match="--data FOLDER with names"):
        measuring.Data(None).command("models", sample())


def test_one_run_of_a_command_gives_two_records(tmp_path: Path) -> None:
    code = f'open("{tmp_path}/runs", "a").write("x"); print(7, 8)'
    measurement = measuring.Measurement(measuring.Data(None, {"NAMES": "/at"}), "0123abcd")
    measurement.measured("models", sample(code=code))
    again = measurement.measured("other", sample(code=code, cells=("{1}",)))
    assert again.rows == [["8"]]
    assert (tmp_path / "runs").read_text() == "x"


def test_work_trees_are_made_at_their_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "repositories" / "o+n"
    place.mkdir(parents=True)
    git(place, "init", "-q")
    commits = []
    for text in ("old", "new"):
        (place / "a.cu").write_text(text, encoding="utf-8")
        git(place, "add", "-A")
        git(place, "commit", "-q", "-m", text)
        commits.append(git(place, "rev-parse", "HEAD"))
    record = replace(RECORDS["speed"], command="python bench/speed.py CHECKOUTS/o+n")
    for commit, text in zip(commits, ("old", "new"), strict=True):
        pins = {"o/n": {"commit": commit, "records": ["speed"]}}
        pins["o/other"] = {"commit": commit, "records": ["suites"]}
        monkeypatch.setitem(measuring.DATA, "repositories", pins)
        words = measuring.Data(tmp_path).command("speed", record)
        assert words[-1] == str(tmp_path / "checkouts" / "o+n")
        assert (tmp_path / "checkouts" / "o+n" / "a.cu").read_text() == text
    monkeypatch.setitem(pins["o/n"], "commit", "f" * 40)
    with pytest.raises(MissingError, match=f"fetch https://github.com/o/n {'f' * 40}"):
        measuring.Data(tmp_path).command("speed", record)


def test_each_repository_is_read_by_a_record_that_is_there() -> None:
    for pinned in measuring.DATA["repositories"].values():
        assert set(pinned["records"]) <= RECORDS.keys()
    words = {word for record in RECORDS.values() for word in record.command.split()}
    checked_out = {word.split("/")[1] for word in words if word.startswith("CHECKOUTS/")}
    assert checked_out <= {name.replace("/", "+") for name in measuring.DATA["repositories"]}


def test_a_reason_does_not_say_where_the_folder_lies(tmp_path: Path) -> None:
    data = measuring.Data(tmp_path)
    assert data.told(f"{tmp_path}/names: get it") == "FOLDER/names: get it"


def test_idle_and_quick_records_come_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    known = {
        "slow": sample(seconds=9),
        "quick": sample(seconds=1),
        "idle": sample(seconds=99, idle=True),
    }
    stored: list[str] = []
    measurement = measuring.Measurement(measuring.Data(None, {"NAMES": "/at"}), "0123abcd")
    measuring.measure_all(known, list(known), measurement, lambda name, _: stored.append(name))
    assert stored == ["idle", "quick", "slow"]
    assert capsys.readouterr().out.splitlines() == [f"{name}: 0 s" for name in stored]
