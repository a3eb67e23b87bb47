"""One repository, as rows."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from git_command import git

from warplint.analyzer.fleet.subjects import Subject
from warplint.analyzer.fleet.survey import How, survey

if TYPE_CHECKING:
    from pathlib import Path


def test_a_repository_at_a_revision(repository: Path) -> None:
    found = survey(Subject(f"file://{repository}", "wide"), How())
    row = found.repository
    assert found.is_done
    assert row["commit"] == git(repository, "rev-parse", "wide")
    assert (row["files"], row["kernels"], row["lines"]) == (1, 1, 5)
    assert [(each["rule"], each["path"], each["line"]) for each in found.findings] == [
        ("GLB001", "rows.cu", 4)
    ]
    assert found.findings[0]["gain"] > 0.5
    assert found.findings[0]["repository"] == f"file://{repository}@wide"


def test_a_folder_as_it_is_with_options_of_check(folders: list[Path]) -> None:
    (folders[5] / "warplint.toml").write_text('ignore = ["GLB001"]\n')
    one = survey(Subject(str(folders[5]), is_folder=True), How(("--isolated", "--arch", "sm_80")))
    assert [each["rule"] for each in one.findings] == ["GLB001"]
    assert one.repository["arch"] == "sm_80"


def test_what_cannot_be_fetched_says_why(tmp_path: Path) -> None:
    found = survey(Subject(f"file://{tmp_path}/gone"), How())
    assert not found.is_done
    assert found.repository["status"] == "failed"
    assert "git fetch" in found.repository["why"]


def test_a_check_that_takes_too_much_memory_says_so(folders: list[Path]) -> None:
    found = survey(Subject(str(folders[0]), is_folder=True), How(memory=20_000_000))
    assert found.repository["status"] == "failed"
    assert "the check ended with" in found.repository["why"]


def test_nothing_of_the_repository_is_imported(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("click", "warplint", "json", "sitecustomize", "runpy"):
        (folders[0] / f"{name}.py").write_text("open('ran', 'w')\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((".", "", os.environ.get("PYTHONPATH", ""))))
    assert survey(Subject(str(folders[0]), is_folder=True), How()).is_done
    assert not (folders[0] / "ran").exists()


def test_a_folder_without_kernels_is_checked(tmp_path: Path) -> None:
    found = survey(Subject(str(tmp_path), is_folder=True), How())
    assert found.is_done
    assert (found.repository["kernels"], found.findings) == (0, [])


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
def test_pipes_and_devices_are_not_read(folders: list[Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (folders[0] / "pipe.cu").symlink_to(tmp_path / "pipe")
    (folders[0] / "zero.cu").symlink_to("/dev/zero")
    found = survey(Subject(str(folders[0]), is_folder=True), How())
    assert found.is_done
    rows = {row["path"]: (row["bytes"], row["problems"]) for row in found.files}
    assert rows["rows.cu"][0] > 0
    assert [rows[name][0] for name in ("pipe.cu", "zero.cu")] == [0, 0]
    assert all("not a regular file" in rows[name][1] for name in ("pipe.cu", "zero.cu"))


def test_what_a_killed_worker_left_is_removed(
    folders: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [f"warplint-fleet-{process}-x" for process in (ended.pid, os.getpid())]
    for name in (*names, "warplint-fleet-other", "another"):
        (tmp_path / name).mkdir()
    survey(Subject(str(folders[0]), is_folder=True), How())
    assert not (tmp_path / names[0]).exists()
    assert {path.name for path in tmp_path.iterdir()} >= {
        names[1], "warplint-fleet-other", "another"
    }  # fmt: skip
