"""Baselines: known findings are silent wherever the code goes, new ones are not."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

FIRST = """\
__global__ void first(float *out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    tile[t][0] = out[t];
    tile[t][0] = out[t + 1];
}
"""
SECOND = FIRST.replace("first", "second")
REFORMATTED = """\
__global__ void
first(float *out)
{
    __shared__ float tile[32][32];

    int t = threadIdx.x;
    // now with a comment
    tile[ t ]
        [ 0 /* column */ ] = out[t];
    tile[t][0] = out[t + 1];
}
"""
FILE = "warplint-baseline.json"
ONLY = ("--block", "32", "--select", "SHM001")
USE = (*ONLY, "--baseline", FILE)


@pytest.fixture
def tree(warplint: Run, tmp_path: Path) -> Path:
    (tmp_path / "a.cu").write_text(FIRST, encoding="utf-8")
    (tmp_path / "b.cu").write_text(SECOND, encoding="utf-8")
    written = warplint("baseline", ".", *ONLY)
    assert (written.code, written.out) == (0, f"4 findings written to {FILE}\n")
    return tmp_path


def test_known_findings_are_silent_wherever_the_code_goes(warplint: Run, tree: Path) -> None:
    known = warplint(".", *USE)
    assert known.code == 0
    assert "4 findings in the baseline not shown" in known.out
    assert warplint(".", *ONLY).code == 1
    (tree / "a.cu").write_text("// moved\n" + SECOND + REFORMATTED, encoding="utf-8")
    (tree / "b.cu").unlink()
    moved = warplint(".", *USE)
    assert moved.code == 0
    assert "4 findings in the baseline not shown\n" in moved.out
    assert "no longer found" not in moved.out


def test_new_findings_are_not(warplint: Run, tree: Path) -> None:
    again = FIRST.replace("}\n", "    tile[t][0] = out[t + 2];\n}\n")
    (tree / "a.cu").write_text(again, encoding="utf-8")
    outcome = warplint(".", *USE, "--format", "json")
    assert outcome.code == 1
    report = json.loads(outcome.out)
    assert [f["line"] for f in report["findings"]] == [6]
    assert report["summary"]["known"] == 4
    other = FIRST.replace("tile[t][0]", "tile[t][1]")
    (tree / "a.cu").write_text(other, encoding="utf-8")
    outcome = warplint("a.cu", *USE)
    assert outcome.code == 1
    assert "2 findings in the baseline no longer found; --update-baseline" in outcome.out


def test_update_keeps_what_was_not_looked_at(warplint: Run, tree: Path) -> None:
    (tree / "a.cu").write_text(FIRST.replace("tile[t][0]", "tile[t][1]"), encoding="utf-8")
    updated = warplint("a.cu", *USE, "--update-baseline")
    assert updated.code == 0
    rows = json.loads((tree / FILE).read_text(encoding="utf-8"))["findings"]
    assert [(row["path"], row["code"], row["count"]) for row in rows] == [
        ("a.cu", "tile[t][1]", 2),
        ("b.cu", "tile[t][0]", 2),
    ]
    assert warplint(".", *USE).code == 0
    text = (tree / FILE).read_text(encoding="utf-8")
    assert warplint(".", *USE, "--update-baseline").code == 0
    assert (tree / FILE).read_text(encoding="utf-8") == text
    assert len(text.splitlines()) == len(rows) + 6


def test_update_keeps_what_other_rules_found(warplint: Run, tree: Path) -> None:
    text = (tree / FILE).read_text(encoding="utf-8")
    other = ("--block", "32", "--select", "SYN", "--baseline", FILE)
    outcome = warplint(".", *other)
    assert (outcome.code, "no longer there" in outcome.out) == (0, False)
    assert warplint(".", *other, "--update-baseline").code == 0
    assert (tree / FILE).read_text(encoding="utf-8") == text


def test_the_configuration_names_it(warplint: Run, tree: Path) -> None:
    (tree / "sub").mkdir()
    (tree / "sub" / "known.json").write_text((tree / FILE).read_text(encoding="utf-8"))
    (tree / "warplint.toml").write_text('baseline = "sub/known.json"\n', encoding="utf-8")
    assert warplint(".", *ONLY).code == 0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, "no such file"),
        ("{", "not JSON"),
        ("[]", "version None, not 1"),
        ('{"version": 2, "findings": []}', "version 2, not 1"),
        ('{"version": 1}', "`findings` is not a list"),
        ('{"version": 1, "findings": [{"rule": "SHM001"}]}', "is not an entry"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_baselines_that_cannot_be_used(
    warplint: Run, tree: Path, text: str | None, error: str
) -> None:
    path = tree / "odd.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    outcome = warplint("a.cu", "--baseline", "odd.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: baseline odd.json: ")
    assert error in outcome.err
    assert "regenerate" in outcome.err or "warplint baseline" in outcome.err


def test_update_needs_a_file_that_is_no_input(warplint: Run, tree: Path) -> None:
    assert warplint("a.cu", "--update-baseline").code == 2
    outcome = warplint("a.cu", "--baseline", "a.cu", "--update-baseline")
    assert (outcome.code, "is an input" in outcome.err) == (2, True)
    assert (tree / "a.cu").read_text(encoding="utf-8") == FIRST


def entries(tree: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((tree / FILE).read_text("utf-8"))["findings"]
    return rows


def test_other_names_of_what_is_known(warplint: Run, tree: Path) -> None:
    renamed = FIRST.replace("first", "begin").replace("tile", "staged")
    (tree / "a.cu").write_text(renamed, encoding="utf-8")
    outcome = warplint(".", *USE)
    assert outcome.code == 0
    assert "4 findings in the baseline not shown\n" in outcome.out
    (tree / "c.cu").write_text(renamed, encoding="utf-8")
    assert warplint("c.cu", *USE).code == 1  # a.cu is still there
    (tree / "a.cu").unlink()
    assert warplint(".", *USE).code == 0


def test_more_defects_than_before_are_new_whatever_their_names(warplint: Run, tree: Path) -> None:
    twice = FIRST.replace("first", "begin") + FIRST.replace("first", "end")
    (tree / "a.cu").write_text(twice, encoding="utf-8")
    outcome = warplint(".", *USE, "--format", "json")
    assert [each["kernel"] for each in json.loads(outcome.out)["findings"]] == ["end"]
    (tree / "a.cu").write_text(FIRST + FIRST.replace("first", "other"), encoding="utf-8")
    outcome = warplint(".", *USE, "--format", "json")
    assert [each["kernel"] for each in json.loads(outcome.out)["findings"]] == ["other"]


def test_entries_have_a_day_and_a_reason(warplint: Run, tree: Path) -> None:
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", str(row["since"])) for row in entries(tree))
    assert all("reason" not in row for row in entries(tree))
    text = (tree / FILE).read_text(encoding="utf-8")
    days = {str(row["since"]) for row in entries(tree)}
    for day in days:
        text = text.replace(day, "2020-02-02")
    (tree / FILE).write_text(text, encoding="utf-8")
    renamed = FIRST.replace("first", "begin").replace("tile[t][0]", "tile[t][1]", 1)
    (tree / "a.cu").write_text(renamed, encoding="utf-8")
    written = warplint("baseline", ".", *ONLY, "--reason", "measured: 1 % of the time")
    assert written.code == 0
    notes = {
        (row["kernel"], row["code"]): (row["since"], row.get("reason")) for row in entries(tree)
    }
    assert notes.pop(("begin", "tile[t][0]")) == ("2020-02-02", None)
    assert notes.pop(("second", "tile[t][0]")) == ("2020-02-02", None)
    ((since, reason),) = notes.values()
    assert since != "2020-02-02"
    assert reason == "measured: 1 % of the time"
    assert warplint(".", *USE, "--update-baseline").code == 0
    assert "measured: 1 %" in (tree / FILE).read_text(encoding="utf-8")


def test_files_of_earlier_versions_have_no_days(warplint: Run, tree: Path) -> None:
    text = re.sub(r', "since": "[\d-]+"', "", (tree / FILE).read_text(encoding="utf-8"))
    (tree / FILE).write_text(text, encoding="utf-8")
    assert warplint(".", *USE).code == 0
    assert warplint(".", *USE, "--update-baseline").code == 0
    assert (tree / FILE).read_text(encoding="utf-8") == text


def test_notes_that_are_no_text_are_refused(warplint: Run, tree: Path) -> None:
    text = re.sub(r'"since": "[\d-]+"', '"since": 7', (tree / FILE).read_text(encoding="utf-8"))
    (tree / FILE).write_text(text, encoding="utf-8")
    assert "is not an entry" in warplint(".", *USE).err
