"""Saved reports are printed by ncu; a program that prints what ncu printed stands for it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from warplint.analyzer.measurements.profile_file import is_saved_profile, read_saved_profile
from warplint.analyzer.measurements.profile_report import read_profile
from warplint.analyzer.measurements.sanitizer_report import ReportError

DATA = Path(__file__).parent.parent / "data" / "measured"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.ncu-rep"
    path.write_bytes(b"NVR\0\2\0\0\0\x08\x0a")
    return path


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """An `ncu` that runs this with the pages `raw` and `source` at hand."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "ncu.py").write_text(
        "import sys\nfrom pathlib import Path\nassert sys.argv[1] == '--import'\n"
        f"assert Path(sys.argv[2]).is_absolute()\ndata = Path({str(DATA)!r})\n"
        f"page = sys.argv[sys.argv.index('--page') + 1]\n{code}\n"
    )
    script = programs / "ncu"
    command = shlex.join([sys.executable, str(programs / "ncu.py")])
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))


SHOW = "print((data / f'{page}.csv').read_text())"


def test_both_pages(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, SHOW)
    monkeypatch.chdir(tmp_path)
    found = read_saved_profile(saved.name)
    raw, source = ((DATA / f"{page}.csv").read_text() for page in ("raw", "source"))
    assert found.launches == read_profile(raw).launches != ()
    assert found.lines == read_profile(source).lines != ()


def test_one_page_is_enough(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, f"if page == 'source':\n    sys.exit('nothing')\n{SHOW}")
    found = read_saved_profile(str(saved))
    assert found.launches
    assert not found.lines


def test_what_ncu_refuses(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "sys.exit('==ERROR== a newer report')")
    with pytest.raises(ReportError, match="a newer report"):
        read_saved_profile(str(saved))


def test_without_ncu(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ReportError, match="not found") as error:
        read_saved_profile(str(saved))
    assert "--print-source cuda,sass" in error.value.advice


def test_what_is_one(saved: Path) -> None:
    assert is_saved_profile(str(saved))
    assert not is_saved_profile(str(DATA / "raw.csv"))
    assert not is_saved_profile(str(saved.parent / "gone"))
    assert not is_saved_profile(str(saved.parent))
