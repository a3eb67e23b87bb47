"""Links on the way to a file, and those that lead out of a project.

In: a path. Out: the links that are followed, with what they say; and whether one of them stands in
a project and the file does not. What lies in a project may be a stranger's: a link in it must not
choose what is written elsewhere. A link outside of all projects is the user's own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 40  # links that a path may go through, as Linux has it


def links_on(path: str) -> Iterator[tuple[str, str]]:
    """The symbolic links on the way to a file, in order: the place of each, and what it says."""
    drive, rest = os.path.splitdrive(os.path.abspath(path))
    waiting = rest.split(os.sep)[::-1]
    at = drive + os.sep
    followed = 0
    while waiting:
        at = os.path.normpath(os.path.join(at, waiting.pop()))
        if followed == _MOST or not os.path.islink(at):
            continue
        followed += 1
        target = os.readlink(at)
        yield at, target
        at = os.path.dirname(at)
        if os.path.isabs(target):
            drive, target = os.path.splitdrive(target)
            at = drive + os.sep
        waiting += target.split(os.sep)[::-1]


def leads_outside(path: str) -> str | None:
    """Where a file is, if a symbolic link of a project leads to it out of that project.

    What git keeps for itself is none of the project's files.
    """
    real = os.path.realpath(path)
    for link, _ in links_on(path):
        root = _project_of(link)
        if root is None:
            continue
        if not _is_inside(real, root) or _is_inside(real, os.path.join(root, ".git")):
            return real
    return None


def _project_of(link: str) -> str | None:
    """The root of the repository that a link stands in, else the current folder if it is there."""
    folder = os.path.dirname(link)
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            current = os.path.realpath(os.getcwd())
            return current if _is_inside(link, current) else None
        folder = parent
    return folder


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)
