"""Texts that name lines, after the lines have moved, or stand in another file.

In: the places that the anchors of a kernel took when texts about it were written, and those that
they take now. Out: the texts with the numbers and files of now. By the wording of all reports a
line is `line 6`, or one of `lines 6, 8 and 12`; a number elsewhere is none. A line of another file
is `file.cu:6`, with its path. What cannot be told apart (a number that two anchors have and that
moved by different amounts, a line of a file in which no anchor lies, a file that is named without a
line) is not: the result has to be made anew.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LINES = re.compile(r"\b(lines? )(\d+(?:(?:, | and | or )\d+)*)\b")
_ELSEWHERE = re.compile(r"\.\w+:(\d+)\b")
_NUMBER = re.compile(r"\d+")


class Extent(NamedTuple):
    """The lines of an anchor of a kernel, the first and the last."""

    path: str
    first: int
    last: int


class UnclearError(Exception):
    """Where a line of a kernel's finding is after an edit cannot be told."""


class MovedLines:
    """Where the lines of a kernel's findings are after an edit, or in another file."""

    def __init__(self, before: Sequence[Extent], now: Sequence[Extent]) -> None:
        self._moves = [
            (old, new.path, new.first - old.first) for old, new in zip(before, now, strict=True)
        ]
        paths = sorted({old.path for old in before}, key=len, reverse=True)
        self._places = re.compile(rf"(?<![\w/.-])({'|'.join(map(re.escape, paths))}):(\d+)\b")
        self._gone = {
            os.path.basename(old.path) for old, path, _ in self._moves if path != old.path
        }

    def texts(self, plain: Any) -> Any:
        """Plain data with all its texts as they read now; raises UnclearError."""
        if isinstance(plain, str):
            return self._text(plain)
        if plain.__class__ is list:
            return [self.texts(each) for each in plain]
        if plain.__class__ is dict:
            return {name: self.texts(each) for name, each in plain.items()}
        return plain

    def _text(self, text: str) -> str:
        if ":" not in text and "line" not in text and not self._gone:
            return text
        rest = self._places.sub("", text) if ":" in text else text
        if any(name in rest for name in self._gone):
            raise UnclearError(text)
        if any(self._by(int(match[1])) for match in _ELSEWHERE.finditer(rest)):
            raise UnclearError(text)
        if rest is not text:
            text = self._places.sub(self._place, text)
        return _LINES.sub(lambda match: match[1] + _NUMBER.sub(self._moved, match[2]), text)

    def _place(self, match: re.Match[str]) -> str:
        path, line = match[1], int(match[2])
        own = [each for each in self._moves if each[0].path == path]
        around = [each for each in own if each[0].first <= line <= each[0].last]
        path, by = _only((new, by) for _, new, by in around or own)
        if by and not around:
            raise UnclearError(match[0])
        return f"{path}:{line + by}"

    def _moved(self, number: re.Match[str]) -> str:
        line = int(number[0])
        return str(line + self._by(line))

    def _by(self, line: int) -> int:
        shifts = [by for old, _, by in self._moves if old.first <= line <= old.last]
        return _only(("", by) for by in shifts or [0])[1]


def _only(moves: Iterable[tuple[str, int]]) -> tuple[str, int]:
    found = set(moves)
    if len(found) != 1:
        raise UnclearError(f"{len(found)} places")
    return found.pop()
