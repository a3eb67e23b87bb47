"""Encodings, and files that cannot be read."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.source.problem import Damage
from warplint.analyzer.source.reader import decode_source, read_source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "data",
    [
        "int ä;".encode(),
        b"\xef\xbb\xbf" + "int ä;".encode(),
        "\ufeffint ä;".encode("utf-16-le"),
        "\ufeffint ä;".encode("utf-16-be"),
    ],
)
def test_unicode(data: bytes) -> None:
    source, problems = decode_source("a.cu", data)
    assert source is not None
    assert (source.text, problems) == ("int ä;", [])


@pytest.mark.parametrize(
    ("data", "damage", "place"),
    [
        (b"int a; // caf\xe9\n", Damage.NOTICE, (1, 14)),
        (b"\n/* \xe9 */ int a;", Damage.NOTICE, (2, 4)),
        (b'char* s = "\xe9";', Damage.NOTICE, (1, 12)),
        (b"int a;\nint \xe9;", Damage.PARTIAL, (2, 5)),
        (b"// \xe9\nint \xe9;", Damage.PARTIAL, (2, 5)),
    ],
)
def test_latin_1(data: bytes, damage: Damage, place: tuple[int, int]) -> None:
    source, (problem,) = decode_source("a.cu", data)
    assert source is not None
    assert len(source.text) == len(data)
    assert problem.damage is damage
    assert problem.span is not None
    assert (problem.span.line, problem.span.column) == place
    assert f"line {place[0]} column {place[1]}" in problem.message


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file_is_no_error(data: bytes) -> None:
    source, (problem,) = decode_source("a.cu", data)
    assert source is not None
    assert source.text == ""
    assert problem.damage is Damage.NOTICE
    assert "empty file" in problem.message


def test_a_stray_nul_byte_is_a_blank() -> None:
    data = b"int a;\n" * 200 + b"int\0b;\n" + b"int c;\n" * 200
    source, problems = decode_source("a.cu", data)
    assert source is not None
    assert source.line(201) == "int b;"
    assert [problem.message for problem in problems] == ["a NUL byte at line 201, read as a space"]
    assert problems[0].damage is Damage.NOTICE


@pytest.mark.parametrize("data", [b"\x7fELF\0\0", b"int a;\0", b"\xff\xfe\x00"])
def test_binary_files(data: bytes) -> None:
    source, (problem,) = decode_source("a.cu", data)
    assert source is None
    assert problem.damage is Damage.FATAL


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.cu", "a\0b"):
        source, (problem,) = read_source(path)
        assert source is None
        assert problem.damage is Damage.FATAL
        assert problem.advice


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cu"
    path.write_text("int a;")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("os.open", refuse)  # chmod does not keep root from reading
    source, (problem,) = read_source(path)
    assert source is None
    assert problem.message == "permission denied"


def test_a_dangling_link(tmp_path: Path) -> None:
    link = tmp_path / "a.cu"
    link.symlink_to(tmp_path / "gone.cu")
    assert read_source(link)[0] is None


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    source, problems = decode_source("a.cu", data)
    assert source is not None or problems[0].damage is Damage.FATAL
