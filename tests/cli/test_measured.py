"""`check --sanitizer` and `--ncu`, and `verify`, as users run them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Outcome

    Run = Callable[..., Outcome]

DATA = Path(__file__).parent.parent / "data" / "measured"
REPORTS = (
    *("--sanitizer", "racecheck.xml", "--sanitizer", "memcheck.txt"),
    *("--sanitizer", "synccheck.txt", "--ncu", "raw.csv", "--ncu", "source.csv"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in DATA.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_findings_stand_beside_what_was_measured(warplint: Run) -> None:
    text = warplint("check", "defects.cu", *REPORTS).out
    assert "= measured: confirmed: racecheck: Potential RAW hazard" in text
    assert "32 times the ideal wavefronts over all accesses of line 21, predicted 32" in text
    assert "measured: 9 findings confirmed, 0 contradicted, 2 not covered" in text
    assert "Hot lines without a finding:" in text
    assert "one_counter: if (in[i] >= 0.0f)" in text
    slow, fast = text.index("line 46, predicted"), text.index("line 38, predicted")
    assert slow < fast  # of two warnings, the line that takes more of the time
    assert text.index("note[API001]") > fast  # a note comes after all warnings


@pytest.mark.usefixtures("folder")
def test_the_measurements_are_records(warplint: Run) -> None:
    document = json.loads(warplint("check", "defects.cu", *REPORTS, "--format", "json").out)
    found = {each["kernel"]: each["measured"] for each in document["findings"]}
    assert found["transpose_conflicts"]["standing"] == "confirmed"
    assert found["transpose_conflicts"]["predicted"] == 32
    assert found["rows_by_thread"]["measured"] == 8
    assert 0.4 < found["rows_by_thread"]["time_share"] < 0.8
    hot = document["summary"]["hot_lines"]
    assert hot[0]["kernel"] == "one_counter"
    plain = json.loads(warplint("check", "defects.cu", "--format", "json").out)
    assert {each["measured"] for each in plain["findings"]} == {None}


def test_the_page_shows_them(warplint: Run, folder: Path) -> None:
    warplint("check", "defects.cu", *REPORTS, "--format", "html", "-o", "page.html")
    page = (folder / "page.html").read_text("utf-8").replace("<wbr>", "")
    assert "Hot lines without a finding" in page
    assert "confirmed: racecheck" in page
    order = [page.index(f">{name}</a>") for name in ("rows_by_thread", "transpose_naive", "mirror")]
    assert order == sorted(order)  # by measured time


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sanitizer", "defects.cu"), "not a report of compute-sanitizer"),
        (("--ncu", "defects.cu"), "not CSV of Nsight Compute"),
        (("--ncu", "missing.csv"), "missing.csv"),
    ],
)
def test_what_is_no_report_is_wrong_usage(
    warplint: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = warplint("check", "defects.cu", *arguments)
    assert done.code == 2
    assert message in done.err


@pytest.mark.usefixtures("folder")
def test_verify_prints_commands_to_paste(warplint: Run) -> None:
    done = warplint("verify", "defects.cu:55", "defects.cu:21", "defects.cu:88", "--app", "./run 7")
    assert done.code == 0
    assert [line for line in done.out.splitlines() if not line.startswith("#")] == [
        "compute-sanitizer --tool racecheck --kernel-name kns=mirror_no_barrier "
        "--log-file racecheck.txt ./run 7",
        "warplint check --sanitizer racecheck.txt defects.cu",
        "ncu --kernel-name transpose_conflicts --section SourceCounters --import-source yes "
        "--force-overwrite -o measured ./run 7",
        "warplint check --ncu measured.ncu-rep defects.cu",
    ]
    assert "# defects.cu:88 SHM005" in done.out
    assert "# no measurement shows this" in done.out


@pytest.mark.usefixtures("folder")
def test_verify_names_the_lines_that_have_findings(warplint: Run) -> None:
    done = warplint("verify", "defects.cu:1")
    assert done.code == 2
    assert "there are findings on line" in done.err


def test_verify_quotes_names(warplint: Run, folder: Path) -> None:
    shutil.copy(folder / "defects.cu", folder / "a $(x).cu")
    done = warplint("verify", "a $(x).cu:55")
    assert "warplint check --sanitizer racecheck.txt 'a $(x).cu'" in done.out


def test_a_saved_report_without_ncu_says_how_to_print_it(warplint: Run, folder: Path) -> None:
    (folder / "run.ncu-rep").write_bytes(b"NVR\0\2\0")
    done = warplint("check", "defects.cu", "--ncu", "run.ncu-rep", PATH="/nowhere")
    assert done.code == 2
    assert "`run.ncu-rep`: ncu was not found on the PATH" in done.err
