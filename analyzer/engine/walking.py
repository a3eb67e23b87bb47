"""Folders searched for kernels, with the ignore rules of git and of the user.

In: a folder, and what to leave out. Out: the paths of its files, sorted inside each folder, and the
errors of folders that cannot be listed. Hidden folders are left out; links to folders are not
followed, so a loop of links cannot hold the walk. Inside a git repository its `.gitignore` files
(those above the folder too) and `.git/info/exclude` apply, the deepest one that says something
first, as gitignore(5) has it, but not to what git tracks (`inputs.py`). The user's global ignore
file is not read, so that a run gives the same on every machine. Patterns of the configuration are
read in the same notation.
"""

from __future__ import annotations

import os
from dataclasses import field
from operator import attrgetter
from typing import TYPE_CHECKING

from ..source.files import SETTINGS, read_regular
from ..source.ignore_patterns import IgnoreRules, ignore_rules
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Patterns of an ignore file or of a setting, and the folder that they are relative to."""

    folder: str
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What to leave out; `force` applies it to files that are named outright, too. `also` are more
    suffixes to look for; `python` is whether kernels in Python files are.
    """

    exclude: tuple[Exclusion, ...] = ()
    respect_gitignore: bool = True
    force: bool = False
    also: frozenset[str] = frozenset()
    python: bool = False


@dataclass(slots=True)
class Walk:
    """One walk through folders for inputs: its options, errors, and ignore files read so far."""

    options: WalkOptions = field(default_factory=WalkOptions)
    errors: list[OSError] = field(default_factory=list)
    unread: list[OSError] = field(default_factory=list)  # ignore files
    excluded: int = 0  # files named outright that the options leave out
    ignored: int = 0  # files and folders that a walk left out
    _rules: dict[Exclusion, IgnoreRules] = field(default_factory=dict)
    #: By folder; None outside of all repositories.
    _layers: dict[str, tuple[Exclusion, ...] | None] = field(default_factory=dict)

    def files(self, top: str) -> Iterator[str]:
        """The files below `top` that nothing leaves out, under the path a user would write."""
        waiting = [top]  # `os.walk` calls itself for each level
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(folder) as found:
                    entries = sorted(found, key=attrgetter("name"))
            except OSError as error:
                self.errors.append(error)
                continue
            layers = self._git_layers(os.path.abspath(folder))
            folders: list[str] = []
            for entry in entries:
                path = os.path.join(folder, entry.name)
                if _is_folder(entry):
                    left_out = entry.name.startswith(".") or self._ignored(
                        path, layers, is_folder=True
                    )
                    folders += [] if left_out or entry.is_symlink() else [path]
                elif not self._ignored(os.path.normpath(path), layers, is_folder=False):
                    yield os.path.normpath(path)
            waiting += reversed(folders)

    def left_out_by_git_alone(self, top: str, path: str) -> bool:
        """Whether nothing but git's ignore files keeps a file from being found below `top`."""
        parts = os.path.relpath(path, top).split(os.sep)
        if any(part.startswith(".") for part in parts[:-1]):
            return False
        full = os.path.abspath(top)
        for part in parts[:-1]:
            full = os.path.join(full, part)
            if os.path.islink(full) or self._matches(full, self.options.exclude, is_folder=True):
                return False
        full = os.path.join(full, parts[-1])
        return not self._matches(full, self.options.exclude, is_folder=False)

    def excludes(self, path: str) -> bool:
        """Whether the configuration leaves out a file that was named outright.

        Folders above it count, as they would in a walk; git's ignore files do not.
        """
        return self.options.force and self._matches(
            os.path.abspath(path), self.options.exclude, is_folder=False
        )

    def _ignored(self, path: str, layers: Sequence[Exclusion], *, is_folder: bool) -> bool:
        full = os.path.abspath(path)
        left_out = self._matches(full, self.options.exclude, is_folder=is_folder) or self._matches(
            full, layers, is_folder=is_folder
        )
        self.ignored += left_out
        return left_out

    def _matches(self, full: str, layers: Sequence[Exclusion], *, is_folder: bool) -> bool:
        """What the last layer that speaks of the path says."""
        for layer in reversed(layers):
            if not full.startswith(layer.folder.rstrip(os.sep) + os.sep):
                continue
            relative = os.path.relpath(full, layer.folder) + ("/" if is_folder else "")
            verdict = self._rules_of(layer).verdict(relative.replace(os.sep, "/"))
            if verdict is not None:
                return verdict
        return False

    def _rules_of(self, layer: Exclusion) -> IgnoreRules:
        if layer not in self._rules:
            self._rules[layer] = ignore_rules(layer.patterns)
        return self._rules[layer]

    def _git_layers(self, folder: str) -> tuple[Exclusion, ...]:
        """The ignore files that hold in a folder, the outermost first."""
        if not self.options.respect_gitignore:
            return ()
        unknown: list[str] = []
        at = folder
        while at not in self._layers:
            unknown.append(at)
            if _is_top(at):
                break
            at = os.path.dirname(at)
        for each in reversed(unknown):
            self._layers[each] = self._layers_of(each)
        return self._layers[folder] or ()

    def _layers_of(self, folder: str) -> tuple[Exclusion, ...] | None:
        """Those of a folder, where its parent's are known."""
        if os.path.exists(os.path.join(folder, ".git")):
            above = self._layer(folder, os.path.join(".git", "info", "exclude"))
        else:
            inherited = self._layers.get(os.path.dirname(folder))
            if inherited is None:
                return None
            above = inherited
        return (*above, *self._layer(folder, ".gitignore"))

    def _layer(self, folder: str, name: str) -> tuple[Exclusion, ...]:
        """The patterns of one ignore file.

        One that is a link has none, as for git; one that cannot be read is kept in `unread`.
        """
        path = os.path.join(folder, name)
        if os.path.islink(path) or not os.path.lexists(path):
            return ()
        try:
            text = read_regular(path, SETTINGS).decode("utf-8", "surrogateescape")
        except OSError as error:
            error.filename = path
            self.unread.append(error)
            return ()
        return (Exclusion(folder, tuple(text.splitlines())),)


def _is_top(folder: str) -> bool:
    """Whether no ignore file above a folder holds in it."""
    return os.path.dirname(folder) == folder or os.path.exists(os.path.join(folder, ".git"))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
