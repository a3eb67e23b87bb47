"""Work trees of public repositories, made of their git directories.

A git directory is `FOLDER/owner+name`, bare or with `.git` in it, and may lack the contents of
large files, as snapshots do: those are left out, and so are submodules. What is written is what the
commit holds, as `git checkout` would write it, but for the attributes of git; the work tree is the
root of a repository, at which headers are looked for.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINK = b"120000"
FILES = (b"100644", b"100755", LINK)


class Entry(NamedTuple):
    """A file of a commit."""

    mode: bytes
    blob: bytes
    path: str


class MissingError(Exception):
    """What has to be there to measure, and how to get it."""


def git_directory(folder: Path, repository: str) -> Path:
    """The git directory of `owner/name`."""
    place = folder / repository.replace("/", "+")
    for directory in (place / ".git", place):
        if (directory / "objects").is_dir():
            return directory
    raise MissingError(f"{place}: git clone --bare https://github.com/{repository} {place}")


def require(directory: Path, repository: str, commit: str) -> None:
    """Raise where a commit is not in a git directory."""
    command = ["git", f"--git-dir={directory}", "cat-file", "-e", f"{commit}^{{tree}}"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        origin = f"https://github.com/{repository}"
        raise MissingError(f"{directory}: git --git-dir={directory} fetch {origin} {commit}")


def work_tree(directory: Path, commit: str, target: Path) -> Path:
    """Write the files of a commit into a folder, which is made, as the root of a repository."""
    entries = list(_entries(directory, commit))
    asked = b"".join(entry.blob + b"\n" for entry in entries)
    command = ["git", f"--git-dir={directory}", "cat-file", "--batch"]
    answer = subprocess.run(command, input=asked, capture_output=True, check=True).stdout
    subprocess.run(["git", "init", "--quiet", "--template=", target], check=True)
    links = []
    position = 0
    for entry in entries:
        end = answer.index(b"\n", position)
        head = answer[position:end].split()
        position = end + 1
        if head[1] != b"blob":
            continue  # missing
        content = answer[position : position + int(head[2])]
        position += len(content) + 1
        path = target / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == LINK:
            links.append((path, content.decode("utf-8", "replace")))
        else:
            path.write_bytes(content)
    for path, goal in links:  # last: nothing is written through one
        if _inside(target, path, goal):
            path.symlink_to(goal)
    return target


def _entries(directory: Path, commit: str) -> Iterator[Entry]:
    command = ["git", f"--git-dir={directory}", "ls-tree", "-r", "-z", commit]
    listing = subprocess.run(command, capture_output=True, check=True).stdout
    for line in listing.split(b"\0")[:-1]:
        fields, _, name = line.partition(b"\t")
        mode, _, blob = fields.split()
        if mode in FILES:
            yield Entry(mode, blob, name.decode("utf-8", "surrogateescape"))


def _inside(target: Path, path: Path, goal: str) -> bool:
    """Whether a link stays in the work tree."""
    return (path.parent / goal).resolve().is_relative_to(target.resolve())
