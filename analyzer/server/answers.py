"""Answers to what an editor asks about a document: from its picture, without any analysis.

In: the picture of a document, the text it is of and the text as it is now, and a place. Out: plain
data of the Language Server Protocol. While the text is ahead of its picture, places move with the
lines they stand on; what stood on a line that was edited since is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..source.text import SourceText
from .positions import offset_at
from .semantic_tokens import semantic_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

Plain = dict[str, Any]

_WORD = re.compile(r"[A-Za-z_%$][\w$]*(?:\.[xyzw]\b)?")
_FUNCTION = 12  # a kind of symbol
_BETWEEN = "\n\n---\n\n"


class Shift:
    """Where the lines of an editor's older text are now: before and after what was edited."""

    def __init__(self, old: str, new: str) -> None:
        self._same = old == new
        before, after = ([], []) if self._same else (old.split("\n"), new.split("\n"))
        least = min(len(before), len(after))
        head = 0
        while head < least and before[head] == after[head]:
            head += 1
        tail = 0
        while tail < least - head and before[-1 - tail] == after[-1 - tail]:
            tail += 1
        self._head, self._tail = head, len(before) - tail
        self._by = len(after) - len(before)

    def range(self, place: Plain) -> Plain | None:
        """A range of the older text, now; None for one that was edited."""
        if self._same:
            return place
        first, last = place["start"]["line"], place["end"]["line"]
        if last < self._head:
            return place
        if first < self._tail:
            return None
        return {
            edge: {"line": place[edge]["line"] + self._by, "character": place[edge]["character"]}
            for edge in ("start", "end")
        }


class Answers:
    """What the language server can answer about one document, without any analysis."""

    def __init__(self, picture: Plain, old: str, new: str, encoding: str) -> None:
        self._picture = picture
        self._shift = Shift(old, new)
        self._text = new
        self._encoding = encoding

    def hover(self, line: int, character: int) -> Plain | None:
        """All that is known of a place, what is nearest to it first."""
        at = (line, character)
        found = [
            (_size(place), place, row["text"])
            for row, place in self._rows("hover")
            if _covers(place, at)
        ]
        word = self._word(line, character)
        variable = None if word is None else self._variable(*word, at)
        texts = [] if variable is None else [variable]
        texts += [text for _, _, text in sorted(found, key=lambda each: each[0])]
        if not texts:
            return None
        value = _BETWEEN.join(dict.fromkeys(texts))
        answer: Plain = {"contents": {"kind": "markdown", "value": value}}
        if variable is None:
            answer["range"] = min(found, key=lambda each: each[0])[1]
        return answer

    def hints(self, first: int, last: int) -> list[Plain]:
        """The words beside the code of some lines."""
        shown: dict[tuple[int, str], Plain] = {}
        for row, place in self._rows("hint"):
            end = place["end"]
            if first <= end["line"] <= last:
                key = (end["line"], row["text"])
                shown[key] = {"position": end, "label": row["text"], "paddingLeft": True}
        return list(shown.values())

    def lenses(self) -> list[Plain]:
        """A line above each kernel; instances that differ are all named."""
        texts: dict[tuple[int, int], list[str]] = {}
        places: dict[tuple[int, int], Plain] = {}
        for row, place in self._rows("lens"):
            key = (place["start"]["line"], place["start"]["character"])
            places[key] = place
            if row["text"] not in texts.setdefault(key, []):
                texts[key].append(row["text"])
        return [
            {"range": places[key], "command": {"title": " | ".join(words), "command": ""}}
            for key, words in texts.items()
        ]

    def symbols(self) -> list[Plain]:
        """The kernels and device functions."""
        return [
            {
                "name": row["text"],
                "detail": detail,
                "kind": _FUNCTION,
                "range": place,
                "selectionRange": _inside(row["other"]["range"], place, self._shift),
            }
            for kind, detail in (("kernel", "__global__"), ("device", "__device__"))
            for row, place in self._rows(kind)
        ]

    def tokens(self) -> list[int]:
        """The names that lie in other memory than registers."""
        return semantic_tokens(self._rows("variable"), self._text, self._encoding)

    def definitions(self, line: int, character: int) -> list[Plain]:
        """Where the kernel of a launch stands."""
        at = (line, character)
        found = [row["other"] for row, place in self._rows("launch") if _covers(place, at)]
        return [each for number, each in enumerate(found) if each not in found[:number]]

    def launches(self, line: int, character: int) -> list[Plain]:
        """Where a kernel is launched in its file."""
        at = (line, character)
        return [
            place
            for row, place in self._rows("launch")
            if (header := self._shift.range(row["other"]["range"])) and _covers(header, at)
        ]

    def offers(self, first: tuple[int, int], last: tuple[int, int]) -> list[Plain]:
        """The findings in a range, with what can be done about each."""
        found: list[Plain] = []
        for offer in self._picture["offers"]:
            places = filter(None, map(self._shift.range, offer["ranges"]))
            if any(_start(place) <= last and first <= _end(place) for place in places):
                found.append(offer)
        return found

    def _rows(self, kind: str) -> Iterator[tuple[Plain, Plain]]:
        """The notes of a kind, with their places in the text as it is."""
        for row in self._picture["notes"].get(kind, ()):
            place = self._shift.range(row["range"])
            if place is not None:
                yield row, place

    def _word(self, line: int, character: int) -> tuple[str, str] | None:
        """The name at a place, with and without a component."""
        source = SourceText("", self._text)
        at = offset_at(source, line, character, self._encoding)
        start = source.line_starts[min(line, len(source.line_starts) - 1)]
        for match in _WORD.finditer(source.line(line + 1)):
            if match.start() <= at - start <= match.end():
                return match[0], match[0].partition(".")[0]
        return None

    def _variable(self, whole: str, name: str, at: tuple[int, int]) -> str | None:
        """What is known of a variable: of several of a name, the last that was declared before."""
        ranked: list[tuple[tuple[bool, bool, tuple[int, int]], str]] = []
        for row, place in self._rows("variable"):
            if row["name"] in (whole, name) and _covers(place, at):
                other = self._shift.range(row["other"]["range"]) if "other" in row else None
                declared = _start(other or place)
                ranked.append(((declared <= at, row["name"] == whole, declared), row["text"]))
        return max(ranked)[1] if ranked else None


def _start(place: Plain) -> tuple[int, int]:
    return place["start"]["line"], place["start"]["character"]


def _end(place: Plain) -> tuple[int, int]:
    return place["end"]["line"], place["end"]["character"]


def _covers(place: Plain, at: tuple[int, int]) -> bool:
    return _start(place) <= at <= _end(place)


def _size(place: Plain) -> tuple[int, int]:
    (first, left), (last, right) = _start(place), _end(place)
    return last - first, right - left


def _inside(place: Plain, around: Plain, shift: Shift) -> Plain:
    """A range that has to lie in another one."""
    found = shift.range(place)
    if found is not None and _start(around) <= _start(found) and _end(found) <= _end(around):
        return found
    return {"start": around["start"], "end": around["start"]}
