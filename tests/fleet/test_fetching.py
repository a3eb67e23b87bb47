"""Repositories are fetched without anything of theirs being run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from git_command import git

from warplint.analyzer.fleet.fetching import FetchError, fetch
from warplint.analyzer.fleet.subjects import Subject

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("revision", "step"), [("", "* 1]"), ("wide", "* 32]"), ("main", "* 1]")])
def test_files_of_a_revision(repository: Path, tmp_path: Path, revision: str, step: str) -> None:
    target = tmp_path / "target"
    target.mkdir()
    commit = fetch(Subject(f"file://{repository}", revision), str(target))
    assert commit == git(repository, "rev-parse", revision or "HEAD")
    assert step in (target / "rows.cu").read_text()


def test_neither_filters_nor_hooks_nor_links(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    home = tmp_path / "configuration"
    home.write_text(
        f'[filter "mine"]\n\tsmudge = {program}\n\tprocess = {program}\n'
        f"[core]\n\thooksPath = {tmp_path / 'hooks'}\n\tfsmonitor = {program}\n"
    )
    (tmp_path / "hooks").mkdir()
    for name in ("post-checkout", "reference-transaction"):
        os.link(program, tmp_path / "hooks" / name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home))
    (repository / ".gitattributes").write_text("*.cu filter=mine\n")
    (repository / "link.cu").symlink_to("/etc/passwd")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "filtered")
    target = tmp_path / "target"
    target.mkdir()
    fetch(Subject(f"file://{repository}"), str(target))
    assert not ran.exists()
    assert not (target / "link.cu").is_symlink()
    assert (target / "link.cu").read_text() == "/etc/passwd"


@pytest.mark.parametrize("revision", ["no-such-branch", "0" * 40])
def test_what_is_not_there(repository: Path, tmp_path: Path, revision: str) -> None:
    with pytest.raises(FetchError, match="git fetch"):
        fetch(Subject(str(repository), revision, is_folder=True), str(tmp_path))


def test_without_git(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FetchError, match="not found"):
        fetch(Subject(str(repository), is_folder=True), str(tmp_path))
