"""Paths as a forge knows them: relative to the root of the repository, with slashes."""

from __future__ import annotations

import os
from pathlib import Path

from .sarif_places import find_root


class RepositoryPaths:
    """Turns paths of a run into paths of the repository that the current folder is in."""

    def __init__(self) -> None:
        self._root = find_root(Path.cwd())

    def of(self, path: str) -> str:
        """The path below the root; one outside of it stays as it is."""
        resolved = Path(os.path.realpath(path))
        if resolved.is_relative_to(self._root):
            return resolved.relative_to(self._root).as_posix()
        return path
