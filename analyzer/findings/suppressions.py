"""Comments by which a reader of code says that a finding is known and fine.

    tile[t][0] = x;  // warplint: ignore[SHM001, bank-conflict] written once per block
    // warplint: ignore-next-line[SHM] reason
    // warplint: ignore-begin[GLB001] reason      ...      // warplint: ignore-end[GLB001]
    // warplint: ignore-file[ALL] generated

In: the text of a CUDA or PTX file. Out: its `Suppression`s, each with the lines it covers, and the
`Flaw`s of comments that look like one and are none. A comment that has its line to itself speaks
of the next line that holds code. What rules a word means is not known here. Comments in the sense
of C++ ([lex.comment]) are found by skipping literals; a raw string hides what is in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...grammars.patterns import possessive
from ..source.records import dataclass
from ..source.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..source.text import SourceText

MARK = "warplint:"

_STRING = possessive(r'[^"\\\n]++|\\.')
_LINE = possessive(r"\\\r?\n|[^\r\n]")
#: Comments, and the literals that only look as if they held some.
COMMENTS = re.compile(
    r'R"(?P<d>[^()\\\s]{0,16})\(.*?\)(?P=d)"'
    rf"""|"{_STRING}"|'(?>(?:[^'\\\n]|\\.){{1,8}})'"""
    rf"|(?P<line>//{_LINE})|(?P<block>/\*.*?\*/)",
    re.DOTALL,
)
_DIRECTIVE = re.compile(
    r"(?:(?<=\s)|(?<=[/*!]))warplint:[ \t]*(?P<verb>[\w-]*)[ \t]*"
    r"(?P<list>\[(?P<rules>[^\]\n]*)\])?(?P<reason>.*)",
    re.DOTALL,
)
_BLANKS = re.compile(r"\s*")
_VERBS = ("ignore", "ignore-next-line", "ignore-begin", "ignore-end", "ignore-file")
_LAST_LINE = 1 << 60


@dataclass(frozen=True, slots=True)
class Selector:
    """One word of the list: a code, a name, a family, or ALL."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment, or a begin and an end, and the lines from `first` to `last` that it covers."""

    comments: tuple[Comment, ...]
    selectors: tuple[Selector, ...]
    reason: str
    first: int
    last: int

    @property
    def span(self) -> Span:
        """The directive in the (first) comment."""
        return self.comments[0].directive


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with a directive: the whole, the directive to the end of its reason, its list."""

    span: Span
    directive: Span
    brackets: Span


@dataclass(frozen=True, slots=True)
class _Open:
    """What a comment has begun to suppress."""

    comment: Comment
    selectors: tuple[Selector, ...]
    reason: str

    @property
    def rules(self) -> frozenset[str]:
        return frozenset(selector.text for selector in self.selectors)


@dataclass(frozen=True, slots=True)
class Flaw:
    """A suppression comment with a flaw, which suppresses nothing."""

    span: Span
    message: str
    advice: str


def read_suppressions(source: SourceText) -> tuple[list[Suppression], list[Flaw]]:
    """The suppressions of a text in their order, and what is wrong with the others."""
    if MARK not in source.text:
        return [], []
    reader = _Reader(source)
    for match in COMMENTS.finditer(source.text):
        if match["line"] or match["block"]:
            reader.comment(match.start(), match.end())
    reader.finish()
    return reader.found, reader.flaws


class _Reader:
    """Goes through the comments of a text, from the first to the last."""

    def __init__(self, source: SourceText) -> None:
        self.found: list[Suppression] = []
        self.flaws: list[Flaw] = []
        self._source = source
        self._open: dict[int, _Open] = {}  # by its start: what was begun and not ended
        self._opened: dict[frozenset[str], list[int]] = {}  # the starts by rules
        self._blank = (0, 0, 0)  # text without code from here to there, and the line after it

    def comment(self, start: int, end: int) -> None:
        """One comment; those without a directive are passed by."""
        text = self._source.text[start:end]
        inside = len(text) - 2 if text.startswith("/*") else len(text)
        match = _DIRECTIVE.search(text, 0, inside)
        if match is None:
            return
        directive = Span(self._source, start + match.start(), start + len(text[:inside].rstrip()))
        verb = match["verb"]
        if verb not in _VERBS:
            from difflib import get_close_matches

            near = get_close_matches(verb, _VERBS, n=1, cutoff=0.5)
            advice = f"did you mean `{near[0]}`?" if near else f"write {MARK} ignore[RULE] reason"
            self.flaws.append(Flaw(directive, f"`{verb}` is no suppression", advice))
            return
        brackets = Span(self._source, start + match.start("list"), start + match.end("list"))
        selectors = tuple(_selectors(brackets)) if match["list"] else ()
        if not selectors and verb != "ignore-end":
            advice = f"write {verb}[RULE] reason, or {verb}[ALL]"
            self.flaws.append(Flaw(directive, "the suppression names no rule", advice))
            return
        comment = Comment(Span(self._source, start, end), directive, brackets)
        self._directive(verb, comment, selectors, match["reason"].strip())

    def finish(self) -> None:
        """What was begun and not ended suppresses nothing."""
        for begin in self._open.values():
            message = "`ignore-begin` has no `ignore-end`"
            self.flaws.append(Flaw(begin.comment.directive, message, "write one"))

    def _directive(
        self, verb: str, comment: Comment, selectors: tuple[Selector, ...], reason: str
    ) -> None:
        if verb == "ignore-begin":
            self._begin(_Open(comment, selectors, reason))
        elif verb == "ignore-end":
            self._end(comment, selectors)
        elif verb == "ignore-file":
            self.found.append(Suppression((comment,), selectors, reason, 1, _LAST_LINE))
        else:
            first, last = comment.span.line, comment.span.end_line
            if verb == "ignore-next-line" or _stands_alone(comment.span):
                first = last = self._next_code_line(comment.span)
            self.found.append(Suppression((comment,), selectors, reason, first, last))

    def _end(self, comment: Comment, selectors: Sequence[Selector]) -> None:
        """Ends what was begun last with the same rules; without rules, what was begun last."""
        wanted = frozenset(selector.text for selector in selectors)
        if not wanted and self._open:
            wanted = next(reversed(self._open.values())).rules
        starts = self._opened.get(wanted)
        if not starts:
            message = "`ignore-end` ends nothing that was begun"
            advice = "name the rules of its `ignore-begin`"
            self.flaws.append(Flaw(comment.directive, message, advice))
            return
        begin = self._open.pop(starts.pop())
        lines = begin.comment.span.line, comment.span.end_line
        comments = (begin.comment, comment)
        self.found.append(Suppression(comments, begin.selectors, begin.reason, *lines))

    def _begin(self, begin: _Open) -> None:
        start = begin.comment.span.start
        self._open[start] = begin
        self._opened.setdefault(begin.rules, []).append(start)

    def _next_code_line(self, span: Span) -> int:
        """The first line below the comment that holds more than blanks and comments."""
        start, stop, line = self._blank
        if not start <= span.end < stop:
            start = span.end
            stop, line = _next_code(span)
            self._blank = (start, stop, line)
        return line


def _selectors(brackets: Span) -> Iterator[Selector]:
    for match in re.finditer(r"[^\s,\[\]]+", brackets.text):
        start = brackets.start + match.start()
        yield Selector(match[0], Span(brackets.source, start, start + len(match[0])))


def _stands_alone(span: Span) -> bool:
    """Whether nothing but blanks is beside the comment."""
    lines = span.source
    before = lines.line(span.line)[: span.column - 1]
    return not before.strip() and not lines.line(span.end_line)[span.end_column - 1 :].strip()


def _next_code(span: Span) -> tuple[int, int]:
    """Where the next code below the comment begins, and its line."""
    text, at = span.source.text, span.end
    at = len(text) if (end := text.find("\n", at)) < 0 else end
    while True:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # it always matches
        match = COMMENTS.match(text, at)
        if match is None or not (match["line"] or match["block"]):
            return at, span.source.position(min(at, max(len(text) - 1, 0)))[0]
        at = match.end()
