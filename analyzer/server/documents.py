"""The documents that an editor has open, as the process that analyses knows them.

In: their URIs, paths, languages and texts. Out: the inputs of a run, the texts that stand in for
files, and the URI under which the editor knows a path. A document without a path (a new buffer) is
taken for a file of its root that does not exist.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..engine.inputs import NAMED, InputFile
from ..findings.rule import Input
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HALVES = re.compile("[\ud800-\udfff]")  # of a character beyond 16 bits, alone
_LANGUAGES = {"ptx": Input.PTX, "cuda": Input.CUDA, "cuda-cpp": Input.CUDA, "cu": Input.CUDA}
_SUFFIXES = {Input.PTX: ".ptx", Input.CUDA: ".cu"}


def text_bytes(text: str) -> bytes:
    """A text as the reader of files decodes it, character by character.

    What cannot be written in UTF-8 is replaced, and a byte order mark, which a reader takes off.
    """
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return _HALVES.sub("\ufffd", text).encode()


@dataclass(frozen=True, slots=True)
class Document:
    """One document that is open in an editor."""

    uri: str
    path: str  # absolute; of a buffer without a file one that does not exist
    text: str
    language: Input | None  # None for what is no input, only included or read
    saved: bool = True  # whether there is a path that others may include

    @property
    def data(self) -> bytes:
        """What a reader gets."""
        return text_bytes(self.text)

    @property
    def input(self) -> InputFile | None:
        """The document as an input of a run; a buffer without a file brings its text along."""
        if self.language is None:
            return None
        return InputFile(self.path, self.language, None if self.saved else self.data)


def language_of(path: str, language_id: str) -> Input | None:
    """How a document is read: by its suffix, else by what the editor says."""
    return NAMED.get(os.path.splitext(path)[1].lower()) or _LANGUAGES.get(language_id)


def buffer_path(uri: str, root: str, language: Input) -> str:
    """The path of a buffer without a file: its name, made one that can be a file's."""
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in uri.partition(":")[2])
    name = name.strip("-.") or "buffer"
    suffix = "" if name.lower().endswith(_SUFFIXES[language]) else _SUFFIXES[language]
    return os.path.join(root, name + suffix)


class Documents:
    """All documents that are open in an editor, by URI."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._by_path: dict[str, str] = {}  # URIs by real path
        self._uris: dict[str, str] = {}  # by path, as it was asked for since the last change

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())

    def get(self, uri: str) -> Document | None:
        """The document of a URI."""
        return self._open.get(uri)

    def change(self, opened: Iterable[Document], closed: Iterable[str]) -> None:
        """Take over what the editor did since."""
        for uri in closed:
            self._open.pop(uri, None)
        for document in opened:
            self._open[document.uri] = document
        self._by_path = {os.path.realpath(each.path): each.uri for each in self}
        self._uris = {}

    @property
    def texts(self) -> dict[str, bytes]:
        """What is read in place of files, by real path."""
        return {os.path.realpath(each.path): each.data for each in self if each.saved}

    def uri_of(self, path: str) -> str:
        """The name of a file in the editor."""
        uri = self._uris.get(path)
        if uri is None:
            known = self._by_path.get(os.path.realpath(path))
            uri = self._uris[path] = known or Path(os.path.abspath(path)).as_uri()
        return uri
