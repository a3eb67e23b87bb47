"""The text of one file and the places in it.

In: a path and its decoded text. Out: `SourceText`, which turns offsets into lines and columns,
and `Span`, a half-open range of one text. Offsets and columns count code points; lines and
columns start at 1. Line ends are LF, CR LF or a lone CR, as nvcc counts them.
Reading bytes is `reader.py`; spans of macro expansions are the preprocessor's business.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

_LINE_END = re.compile(r"\r\n|\n|\r")
_EXCERPT = 80  # characters


class SourceText:
    """One file's text under the path a user would write; compared by identity."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins."""
        if "\r" in self.text:
            return [0, *[match.end() for match in _LINE_END.finditer(self.text)]]
        lines = self.text.split("\n")
        lines.pop()
        return [0, *accumulate([len(line) + 1 for line in lines])]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` without its line end; empty when there is no such line."""
        if not 1 <= number <= len(self.line_starts):
            return ""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def span_of_line(self, number: int) -> Span:
        """The whole of line `number`, leading blanks left out."""
        text = self.line(number)
        start = self.line_starts[min(number, len(self.line_starts)) - 1]
        return Span(self, start + len(text) - len(text.lstrip()), start + len(text))

    def __repr__(self) -> str:
        return f"SourceText({self.path!r}, {len(self.text)} characters)"


def text_lines(source: SourceText) -> list[str]:
    """All lines of a source text without their line ends; line `n` is at `n - 1`."""
    return _LINE_END.split(source.text) if "\r" in source.text else source.text.split("\n")


class Span:
    """The characters `start` (included) to `end` (excluded) of one text."""

    __slots__ = ("end", "source", "start")

    def __init__(self, source: SourceText, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end

    @property
    def macro(self) -> Span | None:
        """The place in the body of the macro that made the text, if one did."""
        return None

    @property
    def path(self) -> str:
        """The path of the text, as the user would write it."""
        return self.source.path

    @property
    def line(self) -> int:
        """The line of the first character."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column of the first character."""
        return self.source.position(self.start)[1]

    @property
    def end_line(self) -> int:
        """The line of the place just after the last character."""
        return self.source.position(self.end)[0]

    @property
    def end_column(self) -> int:
        """The column just after the last character."""
        return self.source.position(self.end)[1]

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    @property
    def excerpt(self) -> str:
        """The first characters, to name by them what has no name of its own."""
        return self.text[:_EXCERPT]

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of another one of the same text."""
        return Span(self.source, self.start, max(self.end, other.end))

    def covers(self, other: Span) -> bool:
        """Whether `other` lies in this span, ends included."""
        return self.source is other.source and self.start <= other.start and other.end <= self.end

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Span):
            return NotImplemented
        return self.source is other.source and self.start == other.start and self.end == other.end

    def __hash__(self) -> int:
        return hash((id(self.source), self.start, self.end))

    def __repr__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"
