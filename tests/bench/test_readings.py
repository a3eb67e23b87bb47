"""What was read is found again, and only that."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from git_command import git
from source_tree import bench_module

from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

readings: Any = bench_module("readings")
RACE = """\
__global__ void shift(int *data)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = tile[(threadIdx.x + 1) % 256];
}
void run(int *data) { shift<<<1, 256>>>(data); }
"""


def place(line: int, kernel: str = "shift", rule: str = "SYN002") -> Any:
    return readings.Place(rule, "a.cu", line, kernel)


def reading(line: int, right: str = "yes", worth: str = "yes") -> Any:
    return readings.Reading("o/n", "0" * 40, place(line), "error", right, worth, "no", "a cause")


def report(*places: Any) -> Any:
    return readings.Report(Counter(places), dict.fromkeys(places, "error"), 1, 4, 3)


def test_each_reading_takes_one_finding() -> None:
    still, left = readings.matched(
        [reading(3), reading(3), reading(7)], Counter([place(3), place(9), place(9)])
    )
    assert still == [True, False, False]
    assert left == Counter({place(9): 2})


def test_rules_and_severities_are_counted_alike() -> None:
    by_rule: Any = defaultdict(readings.Tally)
    by_severity: Any = defaultdict(readings.Tally)
    read = [reading(1), reading(2), reading(3, "no", "no"), reading(4, "no"), reading(5, "unclear")]
    told = list(
        readings.tallies(read, report(place(1), place(3), place(5), place(8)), by_rule, by_severity)
    )
    assert by_rule["SYN002"] == by_severity["error"] == by_severity["all"]
    assert by_rule["SYN002"].row("x") == "| x | 5 | 1 of 2 | 1 of 2 | 50 % | 2 of 3 | 1 |"
    assert told == [
        "not found any more: o/n a.cu:2 SYN002 shift a cause",
        "still said: o/n a.cu:3 SYN002 shift a cause",
        "unread: o/n a.cu:8 SYN002 shift",
    ]


def test_notes_that_nobody_read_are_not_counted() -> None:
    table: Any = defaultdict(readings.Tally)
    quiet = report(place(1))._replace(severities={place(1): "note"})
    assert list(readings.tallies([reading(9, "no")], quiet, table, table)) == []
    assert table["all"].unread == 0


@pytest.mark.parametrize(
    ("kernel", "name"),
    [("scan", "scan"), ("a::b::scan<int, 4>", "scan"), ("scan<a::b>", "scan"), (None, "")],
)
def test_instances_of_a_template_are_one_kernel(kernel: str | None, name: str) -> None:
    assert readings.plain(kernel) == name


def stored(folder: Path) -> str:
    """A git directory with a race in it; its commit."""
    place = folder / "o+n"
    place.mkdir(parents=True)
    (place / "a.cu").write_text(RACE, encoding="utf-8")
    git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "A race")
    return git(place, "rev-parse", "HEAD").strip()


def test_a_repository_is_checked_at_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit = stored(tmp_path)
    rows = [["o/n", commit, "a.cu", "5", "SYN002", "error", "shift", "yes", "yes", "yes", ""]]
    table = tmp_path / "readings.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([readings.COLUMNS, *rows])
    monkeypatch.setattr(readings, "LABELS", table)
    monkeypatch.setattr("sys.argv", ["readings.py", str(tmp_path), "--show"])
    assert readings.main() == 0
    told = capsys.readouterr().out
    assert "| SYN002 | 1 | 1 of 1 | 0 of 0 | 100 % | 1 of 1 | 0 |" in told
    assert re.search(r"^\| o/n \| 1 \| 4 \| 100 % \|$", told, re.MULTILINE)


def test_a_repository_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readings, "readings", lambda _: [reading(1)])
    monkeypatch.setattr("sys.argv", ["readings.py", str(tmp_path)])
    assert readings.main() == 2
    assert re.fullmatch(
        r"missing: \S+o\+n: git clone --bare \S+/o/n \S+\n", capsys.readouterr().err
    )


def test_a_check_without_a_report_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = stored(tmp_path)
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho no luck >&2\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setattr(readings, "WARPLINT", tool)
    with pytest.raises(SystemExit, match="was not checked: no luck"):
        readings.checked(tmp_path / "o+n" / ".git", commit)


def test_the_json_of_a_run_is_read() -> None:
    finding = {"rule": "SYN002", "path": "a.cu", "line": 3, "kernel": "n::k<1>", "severity": "note"}
    counts = {"kernels": 4, "accesses": 20, "accesses_not_analysed": 6}
    text = json.dumps({"findings": [finding, finding], "summary": {"coverage": counts}})
    found = readings.report_of(json.loads(text))
    assert found.found == Counter({place(3, "k"): 2})
    assert (found.kernels, found.accesses, found.judged) == (4, 20, 14)


def test_the_table_is_well_formed() -> None:
    with readings.LABELS.open(encoding="utf-8", newline="") as lines:
        assert tuple(next(csv.reader(lines))) == readings.COLUMNS
    known = load_rules()
    for each in readings.readings(readings.LABELS):
        assert re.fullmatch("[0-9a-f]{40}", each.commit), each
        assert each.place.rule in known, each
        assert each.place.line > 0, each
        assert each.severity in ("error", "warning", "note"), each
        assert each.right in readings.ANSWERS, each
        assert each.worth in ("", *readings.ANSWERS), each
        assert each.drawn in ("yes", "no"), each
        assert each.right != "no" or each.cause, each
