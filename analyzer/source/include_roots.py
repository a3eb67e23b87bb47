"""Where a build would look for the headers of a file, when nobody says so with -I.

In: the path of a source or header, and a name in an `#include`. Out: the header that a build would
take, or None. Looked into are, in this order, the folders that build files name for it
(`build_files.py`), then each folder from the file's own up to the root of the repository, and the
folders `include`, `src` and `inc` in them. `<name>` and `"name"` are alike.

A guess never leaves the repository: its root is the folder that holds `.git`. Without one, as in an
unpacked archive, it is the outermost folder around the file that holds a build file, else the last
of those near the file that hold `include` or `src`. What a link or `..` leads out of it is not
taken. A file without either has no roots. Never raises.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from .build_files import BUILD_FILES, stated_folders
from .file_probes import exists, is_file, is_folder, real_path

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVELS = 12  # folders above the file
_NEAR = 4  # of these, those that may be the top of a project that nothing builds
_FOLDERS = ("", "include", "src", "inc")
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
        for folder in self._folders:
            path = os.path.normpath(os.path.join(folder, name))
            if is_file(path) and _is_inside(path, self._root):
                return path if os.path.isabs(self._named) else os.path.relpath(path)
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
