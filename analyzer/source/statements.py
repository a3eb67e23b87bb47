"""Statements as they stand in the text of a function: where another one can be put beside them.

In: CUDA C++ text and the offsets of a function that ends with its body. Out: the innermost
statement around a place, with what it is headed by, whether it stands in a block, and what a loop
repeats. Brackets, keywords and semicolons decide, not a parser: a brace opens a block unless it
follows something that makes it a list. None where the text gives no answer, for instance where a
directive cuts a statement in two; who inserts something reads the result again.
Not handled: `goto` into a block, statements that macros begin or end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .records import dataclass
from .tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE_BLOCK = frozenset([")", "else", "do", "try", ";", "{", "}", ":"])
_HEADED = frozenset(["if", "for", "while", "switch"])
_LOOPS = frozenset(["for", "while"])
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PRAGMA = "#pragma"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as source text, for edits: from its first character (of its pragma) to behind its
    semicolon or brace.
    """

    start: int
    end: int
    keyword: str  # if, for, while, do, switch; empty for a simple statement
    in_block: bool  # whether others may be put beside it as they are
    in_header: bool = False  # whether the place asked for is in the parentheses of the keyword
    body: tuple[int, int] | None = None  # of a loop: what it repeats
    labelled: bool = False  # whether it stands right behind a label, which needs a statement


class FunctionText:
    """One function cut into tokens, to find the statement around a place of the source for
    edits.
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text_of_file = text
        self._texts: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._pairs: dict[int, int] = {}  # opening bracket to closing one, by number of the token
        self._body = self._read(text, start, end)
        self._following: dict[tuple[int, int], int | None] = {}
        self._around: dict[int, Statement | None] = {}

    def _read(self, text: str, start: int, end: int) -> int | None:
        """The token that opens the body; None where a bracket has no counterpart."""
        opened: list[int] = []
        tokens, unterminated = tokenize(text, start=start, end=end)
        for kind, word, place in zip(tokens.kinds, tokens.texts, tokens.places, strict=True):
            bare = word.lstrip()
            number = len(self._texts)
            if kind == "DIRECTIVE":
                pragma = bare[1:].lstrip().startswith("pragma")
                self._texts.append(_PRAGMA if pragma else "#")
            else:
                self._texts.append(word)
            self._starts.append(place + len(word) - len(bare))
            self._ends.append(place + len(word))
            if word in _CLOSING:
                opened.append(number)
            elif word in (")", "]", "}"):
                if not opened or _CLOSING[self._texts[opened[-1]]] != word:
                    return None
                self._pairs[opened.pop()] = number
        last = len(self._texts) - 1
        body = next((first for first, closing in self._pairs.items() if closing == last), None)
        sound = not opened and not unterminated and self._text(last) == "}"
        return body if sound else None

    def statement_at(self, place: int) -> Statement | None:
        """The innermost statement around a place."""
        if self._body is None:
            return None
        if place not in self._around:
            end = self._pairs[self._body]
            self._around[place] = self._in_block(self._body + 1, end, place)
        return self._around[place]

    def cut_out(self, start: int, end: int) -> tuple[int, int] | None:
        """What to take out of the text so that the call from `start` to `end` is gone.

        With its line, when nothing else is on it; None where it is no statement of its own, or one
        that a branch, a loop or a label needs.
        """
        text, statement = self._text_of_file, self.statement_at(start)
        if statement is None or not statement.in_block or statement.labelled:
            return None
        if statement.start != start or text[end : statement.end].strip() != ";":
            return None
        line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
        line_end = text.find("\n", statement.end)
        alone = line_end >= 0 and not text[line_start:start].strip()
        if alone and not text[statement.end : line_end].strip():
            return line_start, line_end + 1
        return start, statement.end

    def _in_block(self, first: int, last: int, place: int) -> Statement | None:
        at = first
        while at < last:
            if (at, last) not in self._following:
                self._following[at, last] = self._after(at, last)
            after = self._following[at, last]
            if after is None:
                return None
            if self._starts[at] <= place < self._ends[after - 1]:
                return self._inside(at, after, place, in_block=True)
            at = after
        return None

    def _inside(self, first: int, after: int, place: int, *, in_block: bool) -> Statement | None:
        """The innermost statement within the one from token `first` up to token `after`."""
        at = first
        while self._texts[at] == _PRAGMA:
            at += 1
        word = self._texts[at]
        span = (self._starts[first], self._ends[after - 1])
        if word == "{":
            return self._in_block(at + 1, self._pairs[at], place)
        if word in _HEADED:
            header = self._header(at)
            rest = None if header is None else self._after_part(header + 1, after)
            if header is None or rest is None:
                return None
            body = (self._starts[header + 1], self._ends[rest - 1])
            if place < self._ends[header]:
                repeated = body if word in _LOOPS else None
                return Statement(*span, word, in_block, in_header=True, body=repeated)
            if place < body[1]:
                return self._inside(header + 1, rest, place, in_block=False)
            return self._inside(rest + 1, after, place, in_block=False)  # behind `else`
        if word == "do":
            rest = self._after_part(at + 1, after)
            if rest is None:
                return None
            body = (self._starts[at + 1], self._ends[rest - 1])
            if body[0] <= place < body[1]:
                return self._inside(at + 1, rest, place, in_block=False)
            return Statement(*span, word, in_block, in_header=place >= body[1], body=body)
        labelled = self._texts[first - 1] == ":"
        alone = Statement(*span, "", in_block, labelled=labelled)
        return self._in_lambda(at, after, place) or alone

    def _in_lambda(self, first: int, after: int, place: int) -> Statement | None:
        """The innermost statement of the function within a simple statement, if one is there."""
        for at in range(first, after):
            is_block = self._texts[at] == "{" and self._texts[at - 1] in _BEFORE_BLOCK
            if is_block and self._ends[at] <= place < self._starts[self._pairs[at]]:
                return self._in_block(at + 1, self._pairs[at], place)
        return None

    def _header(self, at: int) -> int | None:
        """The bracket that closes the header of a keyword."""
        at += 2 if self._text(at + 1) == "constexpr" else 1
        return self._pairs[at] if self._text(at) == "(" else None

    def _after(self, at: int, last: int) -> int | None:
        """The token behind the statement that begins with token `at`; None when it has no end."""
        if at >= last:
            return None
        word = self._text(at)
        if word == "#":
            return at + 1
        if word == _PRAGMA:
            return self._after(at + 1, last)
        if word == "{":
            return self._pairs[at] + 1
        if word in _HEADED:
            header = self._header(at)
            end = None if header is None else self._after_part(header + 1, last)
            if end is not None and word == "if" and end < last and self._text(end) == "else":
                return self._after_part(end + 1, last)
            return end
        if word == "do":
            end = self._after_part(at + 1, last)
            if end is None or self._text(end) != "while":
                return None
            header = self._header(end)
            return None if header is None or self._text(header + 1) != ";" else header + 2
        return self._after_label(at, last) or self._after_simple(at, last)

    def _after_part(self, at: int, last: int) -> int | None:
        """The token behind what a keyword controls, which no directive may choose."""
        return None if self._text(at) == "#" else self._after(at, last)

    def _after_label(self, at: int, last: int) -> int | None:
        """The token behind `case 1:`, `default:` or a name with a colon: a statement of its own."""
        word = self._text(at)
        if word == "case":
            return next((i + 1 for i in range(at, last) if self._texts[i] == ":"), None)
        is_name = word[0].isalpha() or word[0] == "_"
        return at + 2 if is_name and at + 1 < last and self._text(at + 1) == ":" else None

    def _after_simple(self, at: int, last: int) -> int | None:
        while at < last:
            if self._texts[at] == ";":
                return at + 1
            if self._texts[at] in ("#", _PRAGMA):
                return None  # a directive cuts the statement in two
            at = self._pairs.get(at, at) + 1
        return None

    def _text(self, at: int) -> str:
        return self._texts[at] if at < len(self._texts) else ""


def assignment(text: str) -> tuple[str, str, str] | None:
    """Target, operator and value of the text of a statement `target op= value;`: ("s[i]", "+", "1")
    for `s[i] += 1;`.

    None for every other statement, declarations and targets that do something included.
    """
    tokens, unterminated = tokenize(text)
    depth = 0
    for number, (word, place) in enumerate(zip(tokens.texts, tokens.places, strict=True)):
        depth += (word in _CLOSING) - (word in (")", "]", "}"))
        if depth == 0 and (word == "=" or tokens.kinds[number] == "ASSIGNOP"):
            right = text[place + len(word) :].strip()
            if unterminated or not right.endswith(";") or not _is_target(tokens.texts[:number]):
                return None
            return text[:place].strip(), word[:-1], right[:-1].rstrip()
    return None


def _is_target(words: Sequence[str]) -> bool:
    """Whether an expression is a variable, with subscripts and members, that changes nothing."""
    depth = 0
    name_comes = True
    for word in words:
        if word in ("++", "--", "("):
            return False
        if word in ("[", "]"):
            depth += 1 if word == "[" else -1
        elif depth == 0:
            is_name = word[0].isalpha() or word[0] == "_"
            if is_name != name_comes or not (is_name or word in (".", "->", "::")):
                return False
            name_comes = not is_name
    return not name_comes
