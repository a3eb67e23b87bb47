"""Comments of a file that nothing but a reader rests on.

In: a text, and the functions that stand in it. Out: what stands inside of comments between
declarations, as places. A comment counts where it follows the end of a declaration or a directive:
elsewhere the words of an expression may hold it. Not handled: comments in functions and classes'
heads, those with a backslash.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...source.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLANK = re.compile(r"\s*")
_COMMENT = re.compile(r"//[^\n\\]*(?=\n|$)|/\*(?:[^*\\]|\*(?!/))*\*/")
_ENDS = frozenset((";", "}"))


def insides(text: str, functions: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The insides of comments between declarations, in the order of the text."""
    at = 0
    for start, end in sorted((*functions, (len(text), len(text)))):
        if at <= start:
            yield from _between(text, at, start)
        at = max(at, end)


def _between(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    tokens, _ = tokenize(text, 0, start, stop)
    at, is_end = start, True
    for kind, word, place in zip(tokens.kinds, tokens.texts, tokens.places, strict=True):
        if is_end and place - at > 1:
            yield from _comments(text, at, place)
        at, is_end = place + len(word), word in _ENDS or kind == "DIRECTIVE"
    if is_end:
        yield from _comments(text, at, stop)


def _comments(text: str, at: int, stop: int) -> Iterator[tuple[int, int]]:
    """The insides of the comments that a piece of text consists of, as far as it does."""
    while at < stop:
        blank = _BLANK.match(text, at, stop)
        at = at if blank is None else blank.end()
        comment = _COMMENT.match(text, at, stop)
        if comment is None:
            return
        at = comment.end()
        yield comment.start() + 2, at - 2 * comment[0].startswith("/*")
