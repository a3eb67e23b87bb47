"""Documents as inputs of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.findings.rule import Input
from warplint.analyzer.server.documents import (
    Document,
    Documents,
    buffer_path,
    language_of,
    text_bytes,
)
from warplint.analyzer.source.reader import decode_source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("text", ["\ufeffint x;", "a\ud800b", "😀 %: é", "a\r\nb\rc"])
def test_the_reader_sees_as_many_characters(text: str) -> None:
    source, _ = decode_source("a.cu", text_bytes(text))
    assert source is not None
    assert len(source.text) == len(text)


def test_the_suffix_counts_more_than_the_language() -> None:
    assert language_of("/a/b.ptx", "cuda") is Input.PTX
    assert language_of("/a/b.txt", "cuda-cpp") is Input.CUDA
    assert language_of("/a/warplint.toml", "toml") is None


def test_a_buffer_gets_the_name_of_a_file() -> None:
    assert buffer_path("untitled:Untitled-1", "/r", Input.CUDA) == "/r/Untitled-1.cu"
    assert buffer_path("untitled:../../etc/x.cu", "/r", Input.CUDA) == "/r/etc-x.cu"
    assert buffer_path("inmemory:", "/r", Input.PTX) == "/r/buffer.ptx"


def test_files_have_the_names_of_the_editor(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    documents = Documents()
    odd = f"file://{tmp_path}/%6b.cu"
    documents.change([Document(odd, str(path), "", Input.CUDA)], [])
    assert documents.uri_of(str(path)) == odd
    assert documents.uri_of(str(tmp_path / "other.cu")) == (tmp_path / "other.cu").as_uri()
    documents.change([], [odd])
    assert documents.uri_of(str(path)) == path.as_uri()
