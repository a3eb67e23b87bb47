"""The notation of `.gitignore` (gitignore(5)), in time linear in the path and in the pattern.

In: the lines of an ignore file or of a setting, and a path relative to its folder. Out: whether
the path is left out, kept by a `!`, or not spoken of. At each folder on the way, and at the path
itself, the last line that is like it decides; what is in a folder that is left out is left out,
too. Not handled: a `[...]` that reaches over a `/`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from .globs import LONGEST, Glob
from .records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_ANY = "**"


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of a `.gitignore`: the names of folders and file in order, None for `**`."""

    include: bool  # False after `!`
    segments: tuple[Glob | None, ...]
    folder: bool  # it speaks of folders only
    inside: bool  # and not of the folder, but of all that is in it

    def levels(self, names: Sequence[str], *, is_folder: bool) -> Iterable[int]:
        """How many leading names make a folder or file that it speaks of."""
        found = self._prefixes(names)
        if self.inside:
            found = iter(range(next(found, len(names)) + 1, len(names) + 1))
        return (end for end in found if end < len(names) or is_folder or not self.folder)

    def _prefixes(self, names: Sequence[str]) -> Iterator[int]:
        """How many leading names are like the segments, one after the other."""
        whole = len(self.segments)
        reached = {0}
        for at in range(len(names) + 1):
            for segment in [*reached]:
                while segment < whole and self.segments[segment] is None:
                    segment += 1  # `**` may stand for nothing
                    reached.add(segment)
            if whole in reached:
                yield at
            if at == len(names) or not reached:
                return
            onward: set[int] = set()
            for segment in reached - {whole}:
                glob = self.segments[segment]
                if glob is None:
                    onward.add(segment)
                elif glob.matches(names[at]):
                    onward.add(segment + 1)
            reached = onward


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The lines of one ignore file (`.gitignore`) that say something."""

    patterns: tuple[IgnorePattern, ...]

    def verdict(self, path: str) -> bool | None:
        """True for left out, False for kept; a path that ends in `/` is a folder."""
        names = [name for name in path.split("/") if name not in ("", ".")]
        said: dict[int, bool] = {}
        for pattern in self.patterns:
            for level in pattern.levels(names, is_folder=path.endswith("/")):
                said[level] = pattern.include
        return True if True in said.values() else said.get(len(names))


def ignore_rules(lines: Iterable[str]) -> IgnoreRules:
    """The rules that lines of a `.gitignore` make, without those that git does not understand."""
    found = map(_pattern, dict.fromkeys(reversed(list(lines))))
    return IgnoreRules(tuple(pattern for pattern in reversed([*found]) if pattern is not None))


def _pattern(line: str) -> IgnorePattern | None:
    text = line if line.endswith("\\ ") else line.rstrip()
    if not text or text.startswith("#") or text == "/" or len(text) > LONGEST:
        return None
    include = not text.startswith("!")
    words = text[not include :].split("/")
    folder = not words[-1]
    if not words[0]:
        del words[0]
    elif words[0] != _ANY and (len(words) == 1 or (len(words) == 2 and not words[1])):
        words.insert(0, _ANY)
    if not any(words):
        return None
    if folder:
        del words[-1]
    pairs = zip(words, ["", *words], strict=False)
    words = [word for word, before in pairs if (word, before) != (_ANY, _ANY)]
    if words == [_ANY]:
        words = [_ANY, "*"]
    inside = words[-1] == _ANY
    if inside:
        del words[-1]
    segments = tuple(None if word == _ANY else _glob(word) for word in words)
    return IgnorePattern(include, segments, folder, inside)


@cache
def _glob(word: str) -> Glob:
    return Glob(word)
