"""What git knows of the folder of the run, asked so that nothing of that folder has a say in it.

In: the current folder. Out: commits, the files of a commit and of the index, and their bytes.
The folder may hold anything: a bare repository among ordinary files whose configuration names
programs, attributes that call files binary or send them through filters, hooks, links. So

- only a repository with a `.git` is asked, never one that git would find by itself, and the
  outermost one that keeps files of this folder: what lies inside of it may have come with a change;
- git is made to read objects and nothing else: no filter, text conversion, external diff, hook,
  monitor, replacement or fetch has a place in the commands used here, and the settings that could
  name one are overridden all the same;
- variables of git that stand in the environment are not handed on, but for the user's own
  configuration (which says what folders are trusted).

What differs between two texts is found here and not by git (`line_changes.py`).
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from functools import cached_property
from typing import TYPE_CHECKING

from ...config.errors import UsageError
from ...source.files import read_start
from ...source.programs import find_program
from ...source.reader import LARGEST
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FILE, LINK, REPOSITORY = "100", "120", "160"  # how the modes of entries begin

_SETTINGS = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.sshCommand=false",
    "core.pager=cat",
    "diff.external=",
    "protocol.allow=never",
)
_ENVIRONMENT = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_KEPT = ("GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_KEY_", "GIT_CONFIG_NOSYSTEM",
         "GIT_CONFIG_SYSTEM", "GIT_CONFIG_VALUE_", "GIT_INDEX_FILE")  # fmt: skip


_PATIENCE = 120  # seconds: reading a pipe that its configuration includes, git waits for ever
_LONGEST = 4096  # bytes of a path


class GitError(Exception):
    """git refused what a run asked of it; the message is its own."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, a link, or the commit of an inner repository, as git keeps it."""

    mode: str
    identity: str

    @property
    def kind(self) -> str:
        """FILE, LINK or REPOSITORY; something else for what git may bring one day."""
        return self.mode[:3]


class Repository:
    """The repository whose work tree is the folder `root`."""

    def __init__(self, root: str) -> None:
        self.root = root

    def commit(self, name: str) -> str | None:
        """The commit that a name stands for, if it stands for one."""
        if name.startswith("-"):
            return None
        try:
            return self._text("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()
        except GitError:
            self._text("rev-parse", "--git-dir")  # if nothing can be asked, this says why
            return None

    def meanings(self, name: str) -> dict[str, str]:
        """The branches, remote branches, tags and other references of a name, with their commits.

        git takes the tag, or what is called so outside of all these, and a stranger may have made
        it.
        """
        full = [f"refs/{kind}{name}" for kind in ("", "heads/", "remotes/", "tags/")]
        found = {each: self.commit(each) for each in full}
        return {each: commit for each, commit in found.items() if commit is not None}

    def merge_base(self, one: str, other: str) -> str | None:
        """The newest commit that both came from; None without one in what was fetched."""
        try:
            return self._text("merge-base", one, other).strip() or None
        except GitError:
            return None

    @cached_property
    def is_shallow(self) -> bool:
        """Whether older commits were not fetched."""
        return self._text("rev-parse", "--is-shallow-repository").strip() == "true"

    def files(self, commit: str) -> dict[str, Entry]:
        """Everything in a commit, by its path from the root."""
        rows = self._rows("ls-tree", "-r", "-z", "--full-tree", commit)
        return {path: Entry(mode, identity) for (mode, _, identity), path in rows}

    @cached_property
    def index(self) -> dict[str, Entry]:
        """Everything that the next commit would hold."""
        rows = self._rows("ls-files", "--stage", "-z")
        return {path: Entry(mode, identity) for (mode, identity, _), path in rows}

    def is_new(self, path: str) -> bool:
        """Whether a file that is not in the index could be added: git does not ignore it."""
        options = ("--others", "--exclude-standard", "-z")
        return self._text("ls-files", *options, "--", path).split("\0")[0] == path

    def keeps(self, folder: str) -> Entry | None:
        """What there is of a folder below the root: one of its files, or the folder as a commit."""
        inside = self.inside(folder)
        found = self._rows("ls-files", "--stage", "-z", "--", inside)
        return next((Entry(mode, identity) for (mode, identity, _), _ in found), None)

    def tracked(self, folder: str) -> list[str]:
        """The full paths of all files below a folder that the next commit would hold."""
        inside = self.inside(os.path.realpath(folder))
        rows = self._text("ls-files", "--cached", "-z", "--", inside).split("\0")
        return [os.path.join(self.root, row) for row in rows if row]

    def is_kept(self, entry: Entry, data: bytes) -> bool:
        """Whether these bytes are what git keeps of a file: its identity is their hash."""
        algorithm = hashlib.sha1 if len(entry.identity) == 40 else hashlib.sha256
        named = b"blob %d\0" % len(data) + data
        return algorithm(named, usedforsecurity=False).hexdigest() == entry.identity

    def contents(self, entries: Iterable[Entry]) -> dict[str, bytes]:
        """The bytes of files by their identity; those missing here or too large are left out."""
        wanted = list(dict.fromkeys(entry.identity for entry in entries))
        sizes = self._asked("cat-file", "--batch-check", identities=wanted).split(b"\n")
        small = [
            identity
            for identity, size in zip(wanted, sizes, strict=False)
            if size.split()[1:2] == [b"blob"] and int(size.split()[2]) <= LARGEST
        ]
        data = self._asked("cat-file", "--batch", identities=small)
        found: dict[str, bytes] = {}
        at = 0
        for identity in small:
            start = data.index(b"\n", at) + 1
            end = start + int(data[at:start].split()[2])
            found[identity] = data[start:end]
            at = end + 1
        return found

    def _rows(self, *arguments: str) -> Iterator[tuple[list[str], str]]:
        """The entries that a command lists: the words before the tab, and the path after it."""
        for row in self._text(*arguments).split("\0"):
            words, tab, path = row.partition("\t")
            if tab:
                yield words.split(), path

    def inside(self, path: str) -> str:
        """A full path as git writes it: from the root, with slashes."""
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def _text(self, *arguments: str) -> str:
        return os.fsdecode(_git(self.root, arguments))

    def _asked(self, *arguments: str, identities: Sequence[str]) -> bytes:
        if not identities:
            return b""
        return _git(self.root, arguments, "".join(f"{each}\n" for each in identities).encode())


def nearest_repository() -> Repository:
    """The repository that a commit in the current folder would go to."""
    return next(_around(os.getcwd()), None) or _no_repository()


def tracked_files(folder: str) -> list[str]:
    """The files below a folder that git tracks; none where git does not say."""
    repository = next(_around(folder), None)
    try:
        return [] if repository is None else repository.tracked(folder)
    except (GitError, UsageError):
        return []


def outermost_repository() -> Repository:
    """The outermost of the repositories around the current folder that keep files of it.

    One around it that knows nothing of it (the dotfiles of a home folder) is not meant. One that
    knows it as the commit of another repository leaves open which one is.
    """
    folder = os.path.realpath(os.getcwd())
    found = list(_around(folder))
    if not found:
        _no_repository()
    inner = found[0]
    for outer in reversed(found[1:]):
        kept = outer.keeps(inner.root)
        if kept is not None and kept.kind == REPOSITORY:
            raise UsageError(
                f"the current folder is a submodule of `{outer.root}`: git has two answers",
                f"run warplint in `{outer.root}`, or set GIT_CEILING_DIRECTORIES={outer.root} to "
                "ask the submodule",
            )
        if kept is not None:
            return outer
    return inner


def _no_repository() -> Repository:
    raise UsageError(
        f"not a git repository: {os.getcwd()}", "run warplint inside the folder of a repository"
    )


def _around(folder: str) -> Iterator[Repository]:
    """The repositories around a folder, the innermost first, as far as the user lets git look."""
    ceilings = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    limits = {os.path.realpath(each) for each in ceilings if os.path.isabs(each)}
    folder = os.path.realpath(folder)
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            yield Repository(folder)
        parent = os.path.dirname(folder)
        if parent == folder or parent in limits:
            return
        folder = parent


def _git(root: str, arguments: Sequence[str], given: bytes = b"") -> bytes:
    """What git prints; the only place that starts it."""
    program = find_program("git")
    if program is None:
        raise UsageError("git was not found on the PATH", "install git")
    _refuse_pipes(root)
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    command = [program, "--no-pager", *settings, "-C", root, *arguments]
    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            check=False,
            env=_environment(root),
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"git did not answer within {_PATIENCE} seconds",
            "check that `git status` works in this folder, and what its configuration includes",
        ) from None
    except OSError as error:
        raise UsageError(f"git cannot be run: {error.strerror or error}", "install git") from None
    if done.returncode != 0:
        said = os.fsdecode(done.stderr).strip().splitlines()
        raise GitError(said[0].removeprefix("fatal: ") if said else "it failed")
    return done.stdout


def _refuse_pipes(root: str) -> None:
    """Raise for a pipe or device that git would read for ever. Not seen: what settings include."""
    for folder in _git_folders(root):
        for inner in ("", "info", os.path.join("objects", "info")):
            for path in _listed(os.path.join(folder, inner)):
                if _never_ends(path):
                    raise UsageError(
                        f"`{path}` is a pipe or device: git would read it for ever",
                        "put an ordinary file there, or clone the repository again",
                    )


def _git_folders(root: str) -> list[str]:
    """Where git keeps the repository of a work tree: one folder, or that and what it shares."""
    own = os.path.join(root, ".git")
    if not os.path.isdir(own):
        own = os.path.join(root, _first_line(own).removeprefix("gitdir:").strip())
    shared = _first_line(os.path.join(own, "commondir"))
    return [own, os.path.normpath(os.path.join(own, shared))] if shared else [own]


def _first_line(path: str) -> str:
    try:
        return os.fsdecode(read_start(path, _LONGEST).partition(b"\n")[0])
    except OSError:
        return ""


def _listed(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except (OSError, ValueError):
        return []


def _never_ends(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _environment(root: str) -> Mapping[str, str]:
    """The variables that git gets: it may look for a repository at `root` and not above."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT)
    }
    return plain | _ENVIRONMENT | {"GIT_CEILING_DIRECTORIES": os.path.dirname(root)}
