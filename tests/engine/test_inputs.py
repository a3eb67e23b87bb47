from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.rule import Input


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*paths: str) -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("x", encoding="utf-8")


def found(*paths: str) -> list[str]:
    return [file.path for file in collect_inputs(paths).files]


def test_files_keep_their_order_and_spelling() -> None:
    write("b.cu", "a.ptx", "c.hpp")
    inputs = collect_inputs(["./b.cu", "a.ptx", "c.hpp"])
    assert [file.path for file in inputs.files] == ["./b.cu", "a.ptx", "c.hpp"]
    assert [file.language for file in inputs.files] == [Input.CUDA, Input.PTX, Input.CUDA]
    assert inputs.problems == []


def test_folder_is_walked_in_order_and_only_for_kernels() -> None:
    write("src/z.cu", "src/a/k.PTX", "src/b.cuh", "src/host.cpp", "src/.git/x.cu", "src/notes.txt")
    assert found("src") == ["src/b.cuh", "src/z.cu", "src/a/k.PTX"]


def test_file_named_twice_is_read_once() -> None:
    write("src/k.cu")
    os.symlink("src/k.cu", "link.cu")
    assert found("src/k.cu", "src", "./src/k.cu", "link.cu") == ["src/k.cu"]


def test_pipes_in_a_folder_are_left_alone() -> None:
    write("src/k.cu")
    os.mkfifo("src/pipe.cu")
    os.mkdir("src/folder.cu")
    assert found("src") == ["src/k.cu"]


def test_links_to_folders_are_not_followed() -> None:
    write("src/k.cu")
    os.symlink("..", "src/loop")
    assert found("src") == ["src/k.cu"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing.cu", "no such file or directory"),
        ("notes.txt", "unknown file type `.txt`"),
        ("Makefile", "unknown file type: no extension"),
        ("empty", "no .cu, .cuh or .ptx file in this directory"),
        ("", "no such file or directory"),
    ],
)
def test_path_that_is_no_input_is_wrong_usage(path: str, message: str) -> None:
    write("notes.txt", "Makefile")
    Path("empty").mkdir()
    (problem,) = collect_inputs([path]).problems
    assert problem.usage
    assert problem.path == path
    assert problem.message == message
    assert problem.advice


def test_other_paths_are_still_read() -> None:
    write("k.cu")
    inputs = collect_inputs(["missing.cu", "k.cu"])
    assert [file.path for file in inputs.files] == ["k.cu"]
    assert len(inputs.problems) == 1


def test_folder_that_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    write("src/locked/k.cu", "src/open.cu")
    locked = os.path.join("src", "locked")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path == locked:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)  # chmod does not keep root from listing
    inputs = collect_inputs(["src"])
    assert [file.path for file in inputs.files] == ["src/open.cu"]
    (problem,) = inputs.problems
    assert problem.message.startswith("cannot list the directory")
    assert not problem.usage


def test_folder_that_cannot_be_listed_is_not_called_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    Path("src").mkdir()
    monkeypatch.setattr(os, "scandir", refuse)
    (problem,) = collect_inputs(["src"]).problems
    assert problem.message == "cannot list the directory: Permission denied"
