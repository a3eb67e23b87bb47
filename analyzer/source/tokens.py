"""Text to tokens: C++ lexing with exact places.

In: a `SourceText`. Out: `Tokens`, three parallel lists (kind, text, place). Comments, blanks and
line continuations between tokens vanish; a whole preprocessor line becomes one DIRECTIVE token.
Kinds are the terminals of `grammars/cuda.lark` where a word can be only one thing, and the raw
kinds NAME, LPAREN, LBRACKET, BRACE, LESS and GREATER where the parser has to decide.
Lexing never fails: an unterminated literal or comment ends with its line or file and is reported.
Not handled: trigraphs, and a line continuation in the middle of a word.

A place is one integer: the offset into all texts laid end to end (`SourceMap`), or negative, the
number of an expansion: a token that stands in no file at all because a macro made it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import field
from functools import cache, lru_cache
from itertools import accumulate, chain, compress
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from ...grammars import grammar_data
from ...grammars.patterns import possessive
from .records import dataclass
from .text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Mapping

_BODY = possessive(r'[^"\\\n]++|\\[\s\S]')  # of a string, up to the quote or the line's end
_CHARACTERS = possessive(r"[^'\\\n]++|\\[\s\S]")
_LONG_COMMENT = r"/\*[^*]*+" + possessive(r"\*(?!/)[^*]*+") + r"\*/"
_COMMENT = "//" + possessive(r"[^\n\\]++|\\[^\r\n]|\\\r?\n|\\\r") + " | " + _LONG_COMMENT
_NUMBER = r"\.?\d" + possessive(r"[eEpP][+-]|'(?=\w)|[\w.]")
# A letter, `_`, `$` or anything beyond ASCII, said by what it is not: Python compiles that faster.
_NAME = r"[^\x00-\x23\x25-\x40\x5b-\x5e\x60\x7b-\x7f][\w$]*+"
_PREFIXED = rf"""(?<![\w$]{{3}})(?<=[uUL8])(?:"{_BODY}"? | '{_CHARACTERS}'?)"""
_LONG_SYMBOL = r"""<%|%>|<:(?!:(?![:>]))|:>
        |<<<|>>>|<<=|>>=|<=>|\.\.\.|\.\*|->\*|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\|
        |[-+*/%&|^]=|\#\#|/\*"""

# Other spellings of brackets (C++ standard, [lex.digraph]); `%:` is read by `reader.py`.
_DIGRAPHS = {"<%": "{", "%>": "}", "<:": "[", ":>": "]"}

_RAW = r"(?: (?<=\bR) | (?<=\b[LuU]R) | (?<=\bu8R) )"


@cache
def _token() -> re.Pattern[str]:
    """A token with what stands before it; only text that is damaged needs so close a look."""
    gap = possessive(rf"[ \t\r\n\f\v]++ | {_COMMENT} | \\\r?\n")
    raw = possessive(r'[^)]++|\)(?!(?P=raw)")')
    return re.compile(
        rf"""
        {gap}
        (?:
          (?P<name>{_NAME})
            (?: {_RAW}"(?P<raw>[^()\s\\]{{0,16}})\({raw}(?:\)(?P=raw)")?
              | {_PREFIXED}
            )?
        | (?P<number>{_NUMBER})
        | (?P<string>"{_BODY}"?)
        | (?P<char>'{_CHARACTERS}'?)
        | (?P<symbol>{_LONG_SYMBOL}|\S)
        | \s
        | \Z
        )
        """,
        re.VERBOSE,
    )


_DIRECTIVE = possessive(
    rf"""[^\n\\/"']++|\\\r?\n|\\[\s\S]|"{_BODY}"?|'{_CHARACTERS}'?|{_LONG_COMMENT}|//"""
    + possessive(r"[^\n\\]++|\\\r?\n|\\[^\n]")
    + "|/"
)


@cache
def _pieces(*, directives: bool) -> re.Pattern[str]:
    """A pattern whose matches, one after another, are all of a text: tokens and what is between.

    It has no groups, so that `findall` alone does the work.
    """
    before = rf"(?:(?<=[\n\r])|\A)[ \t\f\v]*+\#{_DIRECTIVE} |" if directives else ""
    line_end = r"(?![ \t\f\v]*+\#)" if directives else ""
    gap = possessive(rf"[ \t\f\v]++ | [\r\n]++{line_end} | {_COMMENT} | \\\r?\n", least=1)
    return re.compile(
        rf"""
        {before}
          {gap}
        | {_NAME}(?:(?=["']){_PREFIXED})?
        | [;,(){{}}\[\]]
        | {_NUMBER}
        | {_LONG_SYMBOL}
        | "{_BODY}"?
        | '{_CHARACTERS}'?
        | [\s\S]
        """,
        re.VERBOSE,
    )


_SYMBOLS = {
    ";": "_SEMI", ",": "_COMMA", "...": "_ELLIPSIS", "=": "_EQ", "->": "ARROW", "(": "LPAREN",
    ")": "_RPAR", ":": "_COLON", "::": "_DCOLON", "[": "LBRACKET", "]": "_RSQB", "*": "STAR",
    "&": "AMP", "&&": "ANDAND", "{": "BRACE", "}": "_RBRACE", ".": "DOT", "?": "_QMARK",
    "+": "ADDOP", "-": "ADDOP", "!": "NOT", "~": "NOT", "++": "INCR", "--": "INCR",
    "<<<": "_LAUNCH", ">>>": "_LAUNCHEND", "<": "LESS", ">": "GREATER", "#": "HASH", "##": "PASTE",
    **dict.fromkeys(["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="], "ASSIGNOP"),
    **dict.fromkeys(
        ["/", "%", "|", "^", "||", "==", "!=", "<=", ">=", "<<", ">>", "<=>", "->*", ".*"], "BINOP"
    ),
}  # fmt: skip


@cache
def word_kinds() -> dict[str, str]:
    """The token kind of every keyword and symbol of C++ by its text; all else goes by its first
    letter.
    """
    kinds = {
        word: kind
        for kind, words in grammar_data("cuda_names.toml")["keywords"].items()
        for word in words.split()
    }
    return {**kinds, **_SYMBOLS}


# Where a token made by a macro belongs: the start and end of the use, its place in the macro's body
# and its length there.
Expansion = tuple[int, int, int, int]


class ExpandedSpan(Span):
    """The use of a macro in the source; `macro` is the place in the macro's body that the text came
    from.
    """

    __slots__ = ("_first", "_last", "_places")

    def __init__(
        self, place: tuple[SourceText, int, int], places: SourceMap, first: int, last: int
    ) -> None:
        self.source, self.start, self.end = place
        self._places = places
        self._first = first
        self._last = last

    @property
    def macro(self) -> Span:
        """Worked out on demand: few ask for it."""
        return self._places.definition(self._first, self._last)

    def __reduce__(self) -> tuple[type[Span], tuple[SourceText, int, int]]:
        return Span, (self.source, self.start, self.end)  # another process has no expansions


class SourceMap:
    """All texts of one translation unit laid end to end, and the expansions made from them."""

    def __init__(self, main: SourceText) -> None:
        self.sources = [main]
        self.bases = [0]
        self.expansions: list[Expansion] = []
        self._end = len(main.text) + 1
        self._uses: dict[tuple[int, int], tuple[SourceText, int, int]] = {}

    def add(self, source: SourceText) -> int:
        """The place of the first character of a further text."""
        base = self._end
        self.sources.append(source)
        self.bases.append(base)
        self._end += len(source.text) + 1
        return base

    def expanded(self, start: int, end: int, definition: int, length: int) -> int:
        """The place of a token of a macro body used from `start` to `end`."""
        self.expansions.append((start, end, definition, length))
        return -len(self.expansions)

    def use_start(self, place: int) -> int:
        """Where in a file a token at `place` begins, the macro's use if a macro made it."""
        return place if place >= 0 else self.expansions[-1 - place][0]

    def use_end(self, place: int, length: int) -> int:
        """Where in a file a token of `length` characters at `place` ends."""
        return place + length if place >= 0 else self.expansions[-1 - place][1]

    def breaks_line(self, start: int, end: int) -> bool:
        """Whether a line ends between two places of one file; no for what a macro made."""
        if not 0 <= start < end:
            return False
        source, offset = self.locate(start)
        return "\n" in source.text[offset : offset + end - start]

    def locate(self, place: int) -> tuple[SourceText, int]:
        """The text and the offset in it of a place in a file."""
        index = bisect_right(self.bases, place) - 1
        return self.sources[index], place - self.bases[index]

    def span(self, first: int, last: int, length: int) -> Span:
        """From the token at `first` to the end of the token of `length` characters at `last`. What
        begins or ends with an argument of a macro, and not only lies in it, the macro has made.
        """
        if (first < 0) is not (last < 0):
            body, argument = (first, last) if first < 0 else (last, first)
            use = self.expansions[-1 - body]
            if use[0] <= argument < use[1]:
                first = last = body
        made = first < 0 and last < 0
        if made:
            start, end = self.expansions[-1 - first][0], self.expansions[-1 - last][1]
        else:
            start, end = self.use_start(first), self.use_end(last, length)
        place = self._uses.get((start, end))
        if place is None:
            source, offset = self.locate(start)
            stop = min(end - start + offset, len(source.text))
            place = self._uses[start, end] = source, offset, max(offset, stop)
        if made and start == self.expansions[-1 - last][0]:
            return ExpandedSpan(place, self, first, last)
        return Span(*place)

    def definition(self, first: int, last: int) -> Span:
        """The place in a macro's body of the tokens made from `first` to `last`."""
        _, _, place, length = self.expansions[-1 - first]
        _, _, until, rest = self.expansions[-1 - last]
        text, start = self.locate(place)
        stop = start + (until + rest - place if until > place else length)
        return Span(text, start, min(stop, len(text.text)))


@dataclass(slots=True)
class Tokens:
    """The tokens of C++ source, as parallel lists: the kind, text and place of each."""

    kinds: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.kinds)

    def cut(self, start: int, end: int) -> Tokens:
        """The tokens `start` to `end` (excluded) as lists of their own."""
        return Tokens(self.kinds[start:end], self.texts[start:end], self.places[start:end])

    def extend(self, other: Tokens) -> None:
        """Append all tokens of `other`."""
        self.kinds += other.kinds
        self.texts += other.texts
        self.places += other.places


class Unterminated(NamedTuple):
    """A literal or comment of the source without an end: what it is and where it starts."""

    what: str
    place: int

    def at(self, base: int) -> Unterminated:
        """The same where the text begins at `base`."""
        return Unterminated(self.what, self.place + base)


def tokenize(
    text: str, base: int = 0, start: int = 0, end: int | None = None, *, directives: bool = True
) -> tuple[Tokens, list[Unterminated]]:
    """The C++ tokens of `text[start:end]`; places are offsets plus `base`.

    With `directives`, `#` at the start of a line begins a DIRECTIVE token that holds the line.
    """
    stop = len(text) if end is None else end
    if 'R"' not in text:
        found = _tokens_of_sound_text(text, base, start, stop, directives)
        if found is not None:
            return found, []
    return _tokens_one_by_one(text, base, start, stop, directives)


def same_tokens(text: str, other: str) -> bool:
    """Whether two source texts differ in nothing but comments and blanks."""
    return _words(text) == _words(other)


def _words(text: str) -> list[str | list[str]]:
    tokens, _ = tokenize(text)
    return [
        tokenize(word, directives=False)[0].texts if kind == "DIRECTIVE" else word
        for kind, word in zip(tokens.kinds, tokens.texts, strict=True)
    ]


class _PieceKinds(dict[str, str]):
    """The kind of each piece of text: "" for what is between tokens, DAMAGED for what has no end.

    What is likely to come again is remembered.
    """

    def __missing__(self, piece: str) -> str:
        first = piece[0]
        if first <= "\x7f" and first.isspace():
            if piece.lstrip()[:1] == "#":
                return "DIRECTIVE"
            kind = ""
        elif first == "#":
            return "DIRECTIVE" if len(piece) > 1 else "HASH"
        elif first == "/" and len(piece) > 1:
            return _DAMAGED if piece == "/*" else ""
        elif first in "\"'":
            if len(piece) < 2 or piece[-1] != first:
                return _DAMAGED
            return "STRING" if first == '"' else "CHAR"
        elif first == "\\":
            return "" if len(piece) > 1 else "BAD"
        elif first.isdigit() or first == ".":
            kind = "NUMBER"
        elif piece[-1] in "\"'" or '"' in piece:
            return "CHAR" if piece[-1] == "'" else "STRING"
        else:
            kind = "NAME" if first in "_$" or first > "\x7f" or first.isalpha() else "BAD"
        if len(piece) <= _REMEMBERED_LENGTH and len(self) < _REMEMBERED:
            self[piece] = kind
        return kind


_DAMAGED = "DAMAGED"
_UNSURE = frozenset([_DAMAGED, "HASH", "PASTE"])
_REMEMBERED = 100_000  # pieces
_REMEMBERED_LENGTH = 40


@cache
def _piece_kinds() -> _PieceKinds:
    known = {word: kind for word, kind in word_kinds().items() if word != "#"}
    return _PieceKinds({**known, **dict.fromkeys(_DIGRAPHS, _DAMAGED)})


def _tokens_of_sound_text(
    text: str, base: int, start: int, stop: int, directives: bool
) -> Tokens | None:
    """The tokens of a text without raw strings, found without a step in Python for each; None when
    a literal or comment has no end or `#` stands where only a closer look tells what it is, and for
    digraphs."""
    pieces = _pieces(directives=directives).findall(text, start, stop)
    kinds = list(map(_piece_kinds().__getitem__, pieces))
    if not (_UNSURE if directives else {_DAMAGED}).isdisjoint(kinds):
        return None
    places = list(compress(accumulate(map(len, pieces), initial=base + start), kinds))
    texts = list(map(intern, compress(pieces, kinds)))
    kinds = list(filter(None, kinds))
    if directives:
        at = -1
        for _ in range(kinds.count("DIRECTIVE")):
            at = kinds.index("DIRECTIVE", at + 1)
            line = texts[at]
            texts[at] = line.lstrip()
            places[at] += len(line) - len(texts[at])
    return Tokens(kinds, texts, places)


def _tokens_one_by_one(
    text: str, base: int, start: int, stop: int, directives: bool
) -> tuple[Tokens, list[Unterminated]]:
    """The tokens of any text, and what has no end in it."""
    kinds: list[str] = []
    texts: list[str] = []
    places: list[int] = []
    broken: list[Unterminated] = []
    known = word_kinds()
    token = _token()
    position = start
    while position < stop:
        for match in token.finditer(text, position, stop):
            group = match.lastgroup
            if group is None:
                continue
            begin = match.start(group)
            word = text[begin : match.end()]
            if group == "name":
                kind = known.get(word) or "NAME"
                if word[-1] in "\"'" or (kind == "NAME" and '"' in word):
                    kind = "CHAR" if word[-1] == "'" else "STRING"
            elif group == "raw":
                begin = match.start("name")
                word, kind = text[begin : match.end()], "STRING"
                if not word.endswith(f'){match["raw"]}"'):
                    broken.append(Unterminated("raw string", base + begin))
            elif group == "symbol":
                if word in ("#", "##") and directives and _starts_line(text, begin):
                    break
                if word == "/*":
                    broken.append(Unterminated("comment", base + begin))
                    return Tokens(kinds, texts, places), broken
                word = _DIGRAPHS.get(word, word)
                kind = known.get(word) or "BAD"
            elif group == "number":
                kind = "NUMBER"
            else:
                kind = "STRING" if group == "string" else "CHAR"
                quote = word[0]
                if len(word) < 2 or word[-1] != quote:
                    broken.append(Unterminated("string", base + begin))
            kinds.append(kind)
            texts.append(word)
            places.append(base + begin)
        else:
            break
        line_end = re.compile(_DIRECTIVE).match(text, begin, stop)
        assert line_end is not None
        kinds.append("DIRECTIVE")
        texts.append(line_end.group())
        places.append(base + begin)
        position = line_end.end()
    return Tokens(kinds, texts, places), broken


def _starts_line(text: str, offset: int) -> bool:
    """Whether only blanks or comments stand between the start of the line and `offset`."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[start:offset].strip()
    return not before or (
        (before.startswith("/*") or before.endswith("*/")) and "*/" in before[-2:]
    )


def words_of(text: str) -> frozenset[str]:
    """The words of a source text, but for what stands in comments and in literals."""
    return frozenset(tokenize(text, 0)[0].texts)


@lru_cache(maxsize=1)  # launches and kernels of one file both ask
def word_counts(text: str) -> Mapping[str, int]:
    """How often each word stands in a source text, directives included, comments and what is within
    literals not.
    """
    words = ([word] if isinstance(word, str) else word for word in _words(text))
    return Counter(chain.from_iterable(words))
