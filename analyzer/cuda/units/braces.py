"""Which brace belongs to which.

In: the tokens of a translation unit and where they stand. Out: the `}` of each `{`, where a `{`
ends that has none, and the braces without a partner. As long as the braces are balanced, they are
simply counted. When they are not, the layout says which one is missing or too many: a `}` that
begins a line belongs to a `{` whose line, or whose statement's first line, is indented alike, and a
statement that begins with `template` or `__device__` stands in no function. Not handled:
damaged files that are not indented, where the count alone decides.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field
from itertools import groupby
from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from ...source.tokens import SourceMap, Tokens

_OUTSIDE = frozenset(
    ["__global__", "__device__", "__host__", "__forceinline__", "template", "namespace", "extern"]
)
_BEFORE_BODY = frozenset(["_RPAR", "CV", "_NOEXCEPT"])
_TAB = 8
_LINE_END = re.compile(r"[\n\r]").finditer
_BLANKS = re.compile(r"[^\S\n\r]*").match


@dataclass(slots=True)
class Braces:
    """The braces of a file: `partner`: `{` to its `}`; `ends`: a `{` without `}` to the token
    before which it ends.
    """

    partner: dict[int, int] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    lonely: list[int] = field(default_factory=list)


def matching_braces(tokens: Tokens, places: SourceMap) -> Braces:
    """The partners of all braces of a file's tokens."""
    found = _counted(tokens.kinds, 0, len(tokens))
    return _Layout(tokens, places).braces() if found.lonely else found


def _counted(kinds: list[str], begin: int, stop: int) -> Braces:
    """The braces of a run of tokens, matched by counting."""
    found = Braces()
    stack: list[int] = []
    for index in range(begin, stop):
        kind = kinds[index]
        if kind == "BRACE":
            stack.append(index)
        elif kind == "_RBRACE":
            if stack:
                found.partner[stack.pop()] = index
            else:
                found.lonely.append(index)
    found.lonely = stack + found.lonely
    return found


@dataclass(slots=True)
class _Open:
    """An open brace: its token, the line it stands on, and the indentations its `}` may have."""

    index: int
    line: int
    low: int
    high: int
    function: bool


class _Lines:
    """Where the lines of a text begin; each is looked at once, however many braces it has."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._begins = [0, *(match.end() for match in _LINE_END(text))]
        self._heads: dict[int, str] = {}

    def at(self, offset: int) -> tuple[int, str]:
        """The begin of the line that an offset is in, and the blanks there, up to the offset."""
        begin = self._begins[bisect_right(self._begins, offset) - 1]
        head = self._heads.get(begin)
        if head is None:
            match = _BLANKS(self._text, begin)
            head = self._heads[begin] = match[0] if match is not None else ""
        return begin, head[: offset - begin]


class _Layout:
    """Matches the braces of a damaged file."""

    def __init__(self, tokens: Tokens, places: SourceMap) -> None:
        self._tokens = tokens
        self._places = places
        self._found = Braces()
        self._stack: list[_Open] = []
        self._lines: dict[int, _Lines] = {}  # by the ids of sources
        closing = tokens.kinds.count("_RBRACE")
        self._too_many = closing > tokens.kinds.count("BRACE")

    def braces(self) -> Braces:
        """All braces in order."""
        kinds, texts = self._tokens.kinds, self._tokens.texts
        start, depth = 0, 0  # the statement's first token, the open parentheses in it
        sound = self._sound_headers()
        skipped = 0
        for index, kind in enumerate(kinds):
            if index < skipped:
                continue
            if index in sound:
                skipped = start = sound[index]
                continue
            if index == start and texts[index] in _OUTSIDE:
                self._leave_functions(index)
            if kind == "LPAREN":
                depth += 1
            elif kind == "_RPAR":
                depth = max(depth - 1, 0)
            elif kind == "_SEMI":
                if not depth or (
                    texts[index + 1 : index + 2] != [] and texts[index + 1] in _OUTSIDE
                ):
                    start, depth = index + 1, 0
            elif kind == "BRACE":
                self._open(index, start)
                start, depth = index + 1, 0
            elif kind == "_RBRACE":
                self._close(index)
                start, depth = index + 1, 0
        self._found.lonely += [item.index for item in self._stack]
        self._found.lonely.sort()
        return self._found

    def _sound_headers(self) -> dict[int, int]:
        """The included files in which every brace has its partner: first token and stop."""
        sources = self._places.sources
        if len(sources) == 1:
            return {}
        limit = len(sources[0].text)
        use_start = self._places.use_start
        own = [use_start(place) <= limit for place in self._tokens.places]
        found: dict[int, int] = {}
        begin = 0
        for _, run in groupby(own):
            stop = begin + len(list(run))
            if not own[begin]:
                pairs = _counted(self._tokens.kinds, begin, stop)
                if not pairs.lonely:
                    found[begin] = stop
                    self._found.partner.update(pairs.partner)
            begin = stop
        return found

    def _open(self, index: int, start: int) -> None:
        line, own, _ = self._position(index)
        _, first, _ = self._position(start)
        before = self._tokens.kinds[index - 1] if index else ""
        function = before in _BEFORE_BODY
        self._stack.append(_Open(index, line, min(own, first), max(own, first), function))

    def _close(self, index: int) -> None:
        if not self._stack:
            self._found.lonely.append(index)
            return
        line, indent, first = self._position(index)
        top = self._stack[-1]
        if not first:
            if top.line != line and self._too_many and self._tokens.kinds[index - 1] != "_RBRACE":
                self._found.lonely.append(index)
                self._too_many = False
            else:
                self._found.partner[self._stack.pop().index] = index
            return
        depth = len(self._stack) - 1
        while depth >= 0 and self._stack[depth].low > indent:
            depth -= 1
        if depth >= 0 and indent in (self._stack[depth].low, self._stack[depth].high):
            self._drop(depth + 1, index)
            self._found.partner[self._stack.pop().index] = index
        elif indent > top.high:
            self._found.lonely.append(index)
        else:
            self._found.partner[self._stack.pop().index] = index

    def _drop(self, depth: int, stop: int) -> None:
        """The braces above `depth` have no partner and end before the token `stop`."""
        for item in self._stack[depth:]:
            self._found.lonely.append(item.index)
            self._found.ends[item.index] = stop
        del self._stack[depth:]

    def _leave_functions(self, index: int) -> None:
        """No function is open where a declaration begins that may not stand in one."""
        _, indent, first = self._position(index)
        if not first:
            return
        for depth, item in enumerate(self._stack):
            if item.function and item.low >= indent:
                self._drop(depth, index)
                return

    def _position(self, index: int) -> tuple[int, int, bool]:
        """Line start, indentation of the line, and whether the token is the first on it."""
        if index >= len(self._tokens):
            index = len(self._tokens) - 1
        place = self._tokens.places[index]
        source, offset = self._places.locate(self._places.use_start(place))
        lines = self._lines.get(id(source))
        if lines is None:
            lines = self._lines[id(source)] = _Lines(source.text)
        begin, head = lines.at(offset)
        return begin, len(head.expandtabs(_TAB)), place >= 0 and begin + len(head) == offset
