"""The repositories of a fleet, as a list names them.

In: the text of a list, one repository per line: the address of a git repository or a folder, then
`@` and a commit, branch or tag where one is meant. Out: `Subject`s. Blank lines and what follows a
`#` are left out. Not handled: submodules; lists that name other lists.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256

from ..config.errors import UsageError
from ..source.records import dataclass

#: How git is reached: anything else (`ext::`, `fd::`) would let a list name programs.
SCHEMES = ("https", "http", "ssh", "git", "file")

_ADDRESS = re.compile(rf"(?:{'|'.join(SCHEMES)})://[^/\s]*/\S+|[\w.-]+@[\w.-]+:\S+")
_REVISION = re.compile(r"[\w./-]+")
_COMMENT = re.compile(r"(?:^|\s)#.*")


@dataclass(frozen=True, slots=True)
class Subject:
    """One repository at one revision; an empty one is what its default branch holds, or a folder as
    it is.
    """

    place: str
    revision: str = ""
    is_folder: bool = False

    @property
    def name(self) -> str:
        """As the list has it."""
        return f"{self.place}@{self.revision}" if self.revision else self.place

    @property
    def key(self) -> str:
        """A name for files: the same for the same line."""
        return sha256(self.name.encode("utf-8", "surrogateescape")).hexdigest()[:20]


def read_subjects(text: str, path: str) -> list[Subject]:
    """Each line once, in order; folders are relative to the current one."""
    found: dict[str, Subject] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = _COMMENT.sub("", line).strip()
        if words:
            subject = _subject(words, f"{path}:{number}")
            found[subject.name] = subject
    if not found:
        raise UsageError(f"`{path}` names no repository", "write one address or folder per line")
    return list(found.values())


def _subject(words: str, where: str) -> Subject:
    if os.path.isdir(words):
        return Subject(words, is_folder=True)
    place, at, revision = words.rpartition("@")
    if not at or (_ADDRESS.fullmatch(words) and not _ADDRESS.fullmatch(place)):
        place, revision = words, ""  # `git@host:path` has an `@` of its own
    if revision and (revision.startswith("-") or not _REVISION.fullmatch(revision)):
        raise UsageError(f"{where}: `{revision}` is no commit, branch or tag")
    if _ADDRESS.fullmatch(place):
        return Subject(place, revision)
    if os.path.isdir(place):
        return Subject(place, revision, is_folder=True)
    raise UsageError(
        f"{where}: `{place}` is neither a folder nor the address of a git repository",
        f"addresses begin with {', '.join(f'{each}://' for each in SCHEMES)} or `user@host:`",
    )
