"""Work trees hold what a commit holds, and nothing is written outside of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from git_command import git
from source_tree import bench_module

if TYPE_CHECKING:
    from pathlib import Path

checkouts: Any = bench_module("checkouts")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    place = tmp_path / "git" / "o+n"
    (place / "deep").mkdir(parents=True)
    (place / "deep" / "a b.cu").write_bytes(b"\x00\r\n\xff")
    (place / "empty.cu").touch()
    (place / "near").symlink_to("deep/a b.cu")
    (place / "far").symlink_to("../../outside")
    git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "All")
    return place


def test_files_and_links_are_as_in_the_commit(repository: Path, tmp_path: Path) -> None:
    directory = checkouts.git_directory(tmp_path / "git", "o/n")
    tree = checkouts.work_tree(directory, "HEAD", tmp_path / "tree")
    assert (tree / "near").read_bytes() == b"\x00\r\n\xff"
    assert (tree / "empty.cu").read_bytes() == b""
    assert sorted(os.listdir(tree)) == [".git", "deep", "empty.cu", "near"]


def test_contents_that_a_snapshot_lacks_are_left_out(repository: Path, tmp_path: Path) -> None:
    blob = git(repository, "rev-parse", "HEAD:deep/a b.cu")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    tree = checkouts.work_tree(repository / ".git", "HEAD", tmp_path / "tree")
    assert not (tree / "deep").exists()
    assert (tree / "empty.cu").exists()


def test_what_is_missing_is_named(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(checkouts.MissingError, match=r"git clone --bare https://github\.com/a/b"):
        checkouts.git_directory(tmp_path / "git", "a/b")
    checkouts.require(repository / ".git", "o/n", "HEAD")
    with pytest.raises(checkouts.MissingError, match=r"fetch https://github\.com/o/n 0000"):
        checkouts.require(repository / ".git", "o/n", "0" * 40)
