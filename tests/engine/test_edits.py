"""Files change whole, only while they hold what was read, or not at all."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.engine.edits import (
    EditError,
    edited,
    encoded_like,
    overlap,
    replace_file,
)
from warplint.analyzer.findings.finding import Edit
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = SourceText("k.cu", "0123456789")


def edit(start: int, end: int, text: str) -> Edit:
    return Edit(Span(SOURCE, start, end), text)


def test_edits_are_made_from_left_to_right_and_once() -> None:
    edits = [edit(8, 9, "B"), edit(2, 4, ""), edit(8, 9, "B"), edit(5, 5, "A")]
    assert edited(SOURCE.text, edits) == "014A567B9"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=4))
def test_edits_that_do_not_overlap_can_be_made_in_any_order(places: list[tuple[int, int]]) -> None:
    chosen: list[Edit] = []
    for start, length in places:
        new = edit(start, min(start + length, 10), "<>")
        if not any(overlap(new, other) for other in chosen):
            chosen.append(new)
    characters = list(SOURCE.text)
    for item in sorted(set(chosen), key=lambda e: -e.span.start):
        characters[item.span.start : item.span.end] = ["<>"]
    assert edited(SOURCE.text, chosen) == "".join(characters)
    assert edited(SOURCE.text, reversed(chosen)) == edited(SOURCE.text, chosen)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\xc3\xa9", "aé"),
        (b"\xef\xbb\xbfa", "a"),
        (b"\xff\xfea\0", "a"),
        (b"\xfe\xff\0a", "a"),
        (b"a\xe9", "aé"),
    ],
)
def test_the_encoding_stays(data: bytes, text: str) -> None:
    assert encoded_like(data, text, text + "b").startswith(data)


@pytest.mark.parametrize(("data", "text"), [(b"a\0", "a "), (b"other", "a")])
def test_bytes_that_are_not_the_text_are_not_guessed(data: bytes, text: str) -> None:
    with pytest.raises(EditError, match="not those of the text"):
        encoded_like(data, text, "x")


def test_text_that_the_encoding_lacks_is_refused() -> None:
    with pytest.raises(EditError):
        encoded_like(b"a\xe9", "aé", "漢")


def test_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_bytes(b"newer")
    with pytest.raises(EditError, match="changed while"):
        replace_file(str(path), b"older", b"fixed")
    assert path.read_bytes() == b"newer"
    assert list(tmp_path.iterdir()) == [path]


def test_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "k.cu"
    path.write_bytes(b"old")

    def fail(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(EditError, match="No space left"):
        replace_file(str(path), b"old", b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "k.cu", tmp_path / "link.cu"
    path.write_bytes(b"old")
    os.chmod(path, 0o751)
    link.symlink_to("k.cu")
    replace_file(str(link), b"old", b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


def test_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EditError, match="No such file"):
        replace_file(str(tmp_path / "k.cu"), b"old", b"new")
