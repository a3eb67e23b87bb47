"""Where a build would look for the headers of a file, when nobody says so with -I.

In: the path of a source or header, and a name in an `#include`. Out: the header that a build would
take, or None. Looked into are, in this order, the folders that build files name for it
(`build_files.py`), then each folder from the file's own up to the root of the repository, and the
folders `include`, `src` and `inc` in them. `<name>` and `"name"` are alike. What is in none of them
may lie beside: in a folder that another target shows to those that link it, else in the `include`
of a folder beside one of these, the nearest first. That is taken only where one alone has it.

A guess never leaves the repository: its root is the folder that holds `.git`. Without one, as in an
unpacked archive, it is the outermost folder around the file that holds a build file, else the last
of those near the file that hold `include` or `src`. What a link or `..` leads out of it is not
taken. A file without either has no roots. Never raises.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from .build_files import BUILD_FILES, linked_folders, stated_folders
from .file_probes import exists, folders_holding, is_file, is_folder, real_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEVELS = 12  # folders above the file
_NEAR = 4  # of these, those that may be the top of a project that nothing builds
_FOLDERS = ("", "include", "src", "inc")
_SHOWN = "include"
_TOPS = ("include", "src")  # show the top of a project that lies in no repository


class IncludeRoots:
    """The folders around a source in which a build would look for its headers; the file system is
    first asked for the first name.
    """

    def __init__(self, path: str) -> None:
        self._named = path
        self._path = os.path.abspath(path) if "\0" not in path else os.sep

    def find(self, name: str) -> str | None:
        """The path of the header, inside of the repository, as the file's own is written."""
        if self._root is None or "\0" in name or os.path.isabs(name):
            return None
        found = next(self._in(self._folders, name), None) or self._beside(name)
        return found if found is None or os.path.isabs(self._named) else os.path.relpath(found)

    def _in(self, folders: Iterable[str], name: str) -> Iterator[str]:
        """The headers of this name along folders, but for those outside of the repository."""
        for folder in folders:
            path = os.path.normpath(os.path.join(folder, name))
            if is_file(path) and self._root is not None and _is_inside(path, self._root):
                yield path

    def _beside(self, name: str) -> str | None:
        """The one header of this name that another part of the repository shows to others."""
        for folders in self._shown:
            found = {real_path(path): path for path in self._in(folders, name)}
            if found:
                return next(iter(found.values())) if len(found) == 1 else None
        return None

    @cached_property
    def _above(self) -> tuple[str, ...]:
        """The folders from the file's own up to the root; none where there is no root."""
        folders = list(_folders_above(self._path))
        for at, folder in enumerate(folders):
            if exists(os.path.join(folder, ".git")):
                return tuple(folders[: at + 1])
        built = [at for at, folder in enumerate(folders) if _has_build(folder)]
        if built:
            return tuple(folders[: built[-1] + 1])
        tops = [_is_top(folder) for folder in folders[:_NEAR]]
        if True not in tops:
            return ()
        last = tops.index(True)
        while tops[last + 1 : last + 2] == [True]:
            last += 1
        return tuple(folders[: last + 1])

    @cached_property
    def _root(self) -> str | None:
        return real_path(self._above[-1]) if self._above else None

    @cached_property
    def _folders(self) -> tuple[str, ...]:
        places = [os.path.join(folder, name) for folder in self._above for name in _FOLDERS]
        there = [place for place in places if is_folder(place)]
        return tuple(dict.fromkeys([*stated_folders(self._path, self._above), *there]))

    @cached_property
    def _shown(self) -> tuple[tuple[str, ...], ...]:
        """What CMake's other targets show, then what lies beside each of the folders above."""
        beside = [
            tuple(os.path.join(folder, each, _SHOWN) for each in folders_holding(folder, _SHOWN))
            for folder in self._above
        ]
        return (linked_folders(self._above), *beside)


def _folders_above(path: str) -> Iterator[str]:
    """The folders around a file, its own first, but for the root of the file system."""
    folder = os.path.dirname(path)
    for _ in range(LEVELS):
        if folder == os.path.dirname(folder):
            return
        yield folder
        folder = os.path.dirname(folder)


def _has_build(folder: str) -> bool:
    names = () if folder == _home() else BUILD_FILES
    return any(is_file(os.path.join(folder, name)) for name in names)


def _is_top(folder: str) -> bool:
    names = () if folder == _home() else _TOPS
    return any(is_folder(os.path.join(folder, name)) for name in names)


def _home() -> str:
    return os.path.expanduser("~")


def _is_inside(path: str, root: str) -> bool:
    return real_path(path).startswith(root.rstrip(os.sep) + os.sep)
