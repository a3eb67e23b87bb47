"""Headers of a project that nobody named with -I.

In: the path of a file and the names in its `#include` lines that were not found. Out: the folders
above the file, and `include` folders in them, from which such a name leads to a file. The search
ends at the root of the repository (`.git`) or after `LEVELS` folders. Nothing
is read here, and nothing raises.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEVELS = 8
_NAMES = 200  # looked for at most
_SUBFOLDERS = ("", "include")


def nearby_include_paths(path: str, missing: Iterable[str]) -> tuple[Path, ...]:
    """The folders that lead to at least one of the missing headers, nearest first."""
    names = [name for name in dict.fromkeys(missing) if "\0" not in name][:_NAMES]
    return tuple(
        folder for folder in _folders(path) if any(_is_file(folder / name) for name in names)
    )


def _folders(path: str) -> Iterator[Path]:
    folder = Path(os.path.abspath(path)).parent if "\0" not in path else None
    for _ in range(LEVELS):
        if folder is None or folder == folder.parent:
            return
        yield from (folder / name for name in _SUBFOLDERS)
        if (folder / ".git").exists():
            return
        folder = folder.parent


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
