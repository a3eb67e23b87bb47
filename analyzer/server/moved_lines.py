"""Texts that name lines, after the lines have moved.

In: the lines that the anchors of a kernel took when texts about it were written, and those that
they take now. Out: the texts with the numbers of now. By the wording of all reports a line is
`line 6`, or one of `lines 6, 8 and 12`; a number elsewhere is none. A line of another file is
`file.cu:6`. What cannot be told apart (a number that two anchors have and that moved by different
amounts, a line of another file) is not: the result has to be made anew.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINES = re.compile(r"\b(lines? )(\d+(?:(?:, | and | or )\d+)*)\b")
_ELSEWHERE = re.compile(r"\.\w+:(\d+)\b")
_NUMBER = re.compile(r"\d+")

Extent = tuple[int, int]  # the first and the last line


class UnclearError(Exception):
    """Where a line is now cannot be told."""


class MovedLines:
    """The way from the lines of before to those of now."""

    def __init__(self, before: Sequence[Extent], now: Sequence[Extent]) -> None:
        self._extents = [
            (first, last, new - first) for (first, last), (new, _) in zip(before, now, strict=True)
        ]

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
        if any(self._by(int(match[1])) for match in _ELSEWHERE.finditer(text)):
            raise UnclearError(text)
        return _LINES.sub(lambda match: match[1] + _NUMBER.sub(self._moved, match[2]), text)

    def _moved(self, number: re.Match[str]) -> str:
        line = int(number[0])
        return str(line + self._by(line))

    def _by(self, line: int) -> int:
        shifts = {by for first, last, by in self._extents if first <= line <= last}
        if len(shifts) > 1:
            raise UnclearError(f"line {line}")
        return shifts.pop() if shifts else 0
