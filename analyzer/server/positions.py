"""Places of a text as editors count them: lines from 0, characters in the units of an encoding.

In: a text and the encoding that client and server agreed on. Out: offsets for positions and
positions for offsets. Lines end as everywhere here (`source/text.py`): LF, CR LF or a lone CR. A
position beyond the end of its line, or in the middle of a character, is the nearest place before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..source.text import SourceText

if TYPE_CHECKING:
    from ..source.text import Span

#: Those that a client may choose from.
ENCODINGS = ("utf-8", "utf-16", "utf-32")

Range = dict[str, dict[str, int]]
Position = dict[str, int]


def units(text: str, encoding: str) -> int:
    """How long a text is in the units of an editor's encoding."""
    if text.isascii() or encoding == "utf-32":
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(character > "\uffff" for character in text)
    return len(text.encode("utf-8", "surrogatepass"))


def position_at(source: SourceText, offset: int, encoding: str) -> Position:
    """The line and character, as editors count, of an offset."""
    line, column = source.position(offset)
    before = source.text[offset - column + 1 : offset]
    return {"line": line - 1, "character": units(before, encoding)}


def range_of(span: Span, encoding: str) -> Range:
    """The range, as editors count, of a span."""
    return {
        "start": position_at(span.source, span.start, encoding),
        "end": position_at(span.source, span.end, encoding),
    }


def offset_at(source: SourceText, line: int, character: int, encoding: str) -> int:
    """The offset of a line and character as editors count."""
    starts = source.line_starts
    if line >= len(starts):
        return len(source.text)
    text = source.line(line + 1)
    return starts[max(line, 0)] + _characters(text, max(character, 0), encoding)


def _characters(line: str, count: int, encoding: str) -> int:
    """How many characters of a line so many units are."""
    if line.isascii() or encoding == "utf-32":
        return min(count, len(line))
    taken = 0
    for number, character in enumerate(line):
        taken += units(character, encoding)
        if taken > count:
            return number
    return len(line)


def edited_text(text: str, changes: list[dict[str, Any]], encoding: str) -> str:
    """A document's text after the changes that an editor sent, one after the other."""
    for change in changes:
        place = change.get("range")
        if place is None:
            text = change["text"]
            continue
        source = SourceText("", text)
        start, end = (
            offset_at(source, place[edge]["line"], place[edge]["character"], encoding)
            for edge in ("start", "end")
        )
        text = text[:start] + change["text"] + text[max(start, end) :]
    return text
