"""Links that lead out of a project, and files that change whole."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.source.links import leads_outside, links_on
from warplint.analyzer.source.replacing import replace_whole

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with links in it, and a link to the project."""
    root = tmp_path / "project"
    for folder in ("project/.git/hooks", "project/src", "project/sub/.git", "outside"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("project/src/k.cu", "outside/k.cu", "project/sub/k.cu"):
        (tmp_path / name).write_text("old", encoding="utf-8")
    for link, target in (
        ("project/inside.cu", "src/k.cu"),
        ("project/out.cu", "../outside/k.cu"),
        ("project/absolute.cu", str(tmp_path / "outside" / "k.cu")),
        ("project/chain.cu", "src/next.cu"),
        ("project/src/next.cu", "../out.cu"),
        ("project/folder", "../outside"),
        ("project/back", "../outside/../project/src"),
        ("project/hook.cu", ".git/hooks/post-checkout"),
        ("project/new.cu", "../outside/new.cu"),
        ("project/loop.cu", "loop.cu"),
        ("mine", "project"),
        ("project/sub/above.cu", "../src/k.cu"),
    ):
        os.symlink(target, tmp_path / link)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    "name",
    ["out.cu", "absolute.cu", "chain.cu", "folder/k.cu", "folder/new.cu", "new.cu", "hook.cu",
     "../mine/out.cu", "sub/above.cu"],
)  # fmt: skip
def test_links_that_lead_outside(project: Path, name: str) -> None:
    real = os.path.realpath(project / name)
    assert leads_outside(name) == leads_outside(str(project / name)) == real


@pytest.mark.parametrize(
    "name", ["src/k.cu", "inside.cu", "back/k.cu", "../outside/k.cu", "../mine/src/k.cu", "none.cu"]
)
def test_links_that_do_not(project: Path, name: str) -> None:
    assert leads_outside(name) is None


def test_links_without_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    os.symlink("../k.cu", tmp_path / "here" / "k.cu")
    monkeypatch.chdir(tmp_path / "here")
    assert leads_outside("k.cu") == os.path.realpath(tmp_path / "k.cu")
    monkeypatch.chdir(tmp_path)
    assert leads_outside("here/k.cu") is None


def test_links_are_told_in_order(project: Path) -> None:
    found = [(os.path.relpath(link, project), target) for link, target in links_on("chain.cu")]
    assert found == [
        ("chain.cu", "src/next.cu"),
        ("src/next.cu", "../out.cu"),
        ("out.cu", "../outside/k.cu"),
    ]
    assert len(list(links_on("loop.cu"))) == 40


class TestReplacing:
    """A file changes whole or not at all, and no other one does."""

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "k.cu"
        path.write_text("old", encoding="utf-8")
        path.chmod(0o640)
        return path

    def test_nothing_beside_it_is_touched(self, file: Path) -> None:
        names = [f"k.cu.{os.getpid()}.tmp", f".k.cu.{os.getpid()}.tmp", "k.cu.tmp", "k.cu~"]
        for name in names:
            (file.parent / name).write_text("mine", encoding="utf-8")
        replace_whole(str(file), b"new", file.stat())
        assert file.read_text(encoding="utf-8") == "new"
        assert {path.name for path in file.parent.iterdir()} == {"k.cu", *names}
        assert all((file.parent / name).read_text(encoding="utf-8") == "mine" for name in names)

    def test_other_names_of_the_file_keep_the_old_one(self, file: Path) -> None:
        other = file.with_name("other.cu")
        os.link(file, other)
        replace_whole(str(file), b"new", file.stat())
        assert other.read_text(encoding="utf-8") == "old"

    def test_attributes_stay(self, file: Path) -> None:
        try:
            os.setxattr(file, "user.note", b"mine")
        except (OSError, AttributeError):
            pytest.skip("no attributes here")
        replace_whole(str(file), b"new", file.stat())
        assert os.getxattr(file, "user.note") == b"mine"

    @pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
    )
    def test_the_owner_stays(self, file: Path) -> None:
        os.chown(file, 12345, 54321)
        replace_whole(str(file), b"new", file.stat())
        status = file.stat()
        assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 54321, 0o640)

    @pytest.mark.skipif(not hasattr(os, "chown"), reason="files have no owner here")
    def test_who_cannot_keep_the_owner_changes_nothing(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "chown", refuse)
        like = os.stat_result((0o100640, 0, 0, 1, os.getuid() + 1, os.getgid(), 3, 0, 0, 0))
        with pytest.raises(PermissionError, match="belongs to another user"):
            replace_whole(str(file), b"new", like)
        assert file.read_text(encoding="utf-8") == "old"
        assert list(file.parent.iterdir()) == [file]

    def test_a_long_name(self, tmp_path: Path) -> None:
        path = tmp_path / ("x" * 255)
        replace_whole(str(path), b"new")
        assert path.read_bytes() == b"new"
