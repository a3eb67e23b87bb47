"""The file behind an `#include`: beside its includer, along -I, or where a build would look.

In: the source that is preprocessed and the folders of the command line; then names, one by one.
Out: the text of each header, or None. Headers are read once, and no more than a few hundred; what
is asked for along very many folders is given up, and then not found.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .file_probes import is_file, is_folder, without_detours
from .include_roots import IncludeRoots
from .known_headers import is_well_known
from .reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .text import SourceText

INCLUDED_FILES = 500
GUESSED_CHARACTERS = 4_000_000  # in headers that nobody named a folder for
LOOKED_FOR = 200_000  # places where a header might be


class HeaderSearch:
    """Finds the files behind the `#include`s of one source."""

    def __init__(self, source: str, folders: Iterable[Path | str]) -> None:
        self._named = dict.fromkeys(map(Path, folders))
        self._roots = IncludeRoots(source)
        self._files: dict[str, SourceText | None] = {}  # by path; None where there is none
        self._found = 0
        self._guessed = 0  # characters

    def find(self, name: str, includer: SourceText | None) -> SourceText | None:
        """Beside the includer, then along -I; None when it is not there."""
        if "\0" in name or self._found > INCLUDED_FILES:
            return None
        beside = [] if includer is None else [Path(includer.path).parent]
        for folder in (*beside, *self._folders):
            found = self._read(str(folder / name))
            if found is not None or len(self._files) > LOOKED_FOR:
                return found
        return None

    @cached_property
    def _folders(self) -> list[Path]:
        """Those of the command line that exist."""
        return [folder for folder in self._named if is_folder(str(folder))]

    def guess(self, name: str, includer: SourceText) -> SourceText | None:
        """The header of the repository that a build would find, though nobody named its folder.

        A header that asks for its own name means another one.
        """
        if is_well_known(name) or self._found > INCLUDED_FILES:
            return None
        path = self._roots.find(name) if self._guessed <= GUESSED_CHARACTERS else None
        if path is None or os.path.normpath(path) == os.path.normpath(includer.path):
            return None
        known = path in self._files
        found = self._read(path)
        self._guessed += 0 if known or found is None else len(found.text)
        return found

    def _read(self, path: str) -> SourceText | None:
        if path not in self._files:
            there = is_file(path)
            place = without_detours(path) if there and ".." in path else path
            self._files[path] = read_source(place)[0] if there else None
            self._found += there
        return self._files[path]
