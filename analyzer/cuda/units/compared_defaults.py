"""Comparisons among the defaults of template parameters, put into parentheses.

In: the tokens of a translation unit. Out: the same, with `bool Recurse = 2 * R < Width` as
`bool Recurse = (2 * R < Width)`: the `<` behind a number or behind a parameter of the same head
opens no template arguments, as neither is a template (C++ [temp.names]), and the first `>` that
stands by itself ends the head (C++ [temp.param]). Not handled: other operands on the left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST_HEAD = 400  # tokens
_OPENING, _ENDING = frozenset("([{"), frozenset(")]}")
_AFTER_NAME = frozenset([",", "=", ">"])
_OF_TYPES = frozenset(["class", "typename", "..."])  # these may be templates themselves


def with_grouped_defaults(tokens: Tokens) -> Tokens:
    """The tokens with parentheses around defaults that compare; themselves where none does."""
    texts = tokens.texts
    if "template" not in texts:
        return tokens
    found = [each for head in _heads(texts) for each in _compared(texts, head)]
    if not found:
        return tokens
    new, kept = Tokens(), 0
    for start, end in found:
        new.extend(tokens.cut(kept, start))
        new.extend(Tokens(["LPAREN"], ["("], [tokens.places[start]]))
        new.extend(tokens.cut(start, end))
        new.extend(Tokens(["_RPAR"], [")"], [tokens.places[end]]))
        kept = end
    new.extend(tokens.cut(kept, len(texts)))
    return new


def _heads(texts: Sequence[str]) -> Iterator[int]:
    """Where the parameters of templates begin."""
    at = -1
    while True:
        try:
            at = texts.index("template", at + 1)
        except ValueError:
            return
        if texts[at + 1 : at + 2] == ["<"]:
            yield at + 1


def _compared(texts: Sequence[str], head: int) -> Iterator[tuple[int, int]]:
    """The defaults of one head that compare, from their first token to what follows the last."""
    depth = inside = 0
    names: set[str] = set()
    start, compares = -1, False  # of the default
    for at in range(head, min(len(texts), head + _LONGEST_HEAD)):
        text = texts[at]
        inside += (text in _OPENING) - (text in _ENDING)
        if inside < 0 or text == ";":
            return
        if inside:
            continue
        if text == "<" and start >= 0 and _is_no_template(texts[at - 1], names):
            compares = True
            continue
        closes = len(text) if text.strip(">") == "" else 0
        if depth == 1 and start < 0 and text in _AFTER_NAME:
            names |= {texts[at - 1]} if texts[at - 2] not in _OF_TYPES else set()
            start = at + 1 if text == "=" else -1
        elif depth == 1 and (text == "," or closes):
            if compares:
                yield start, at
            start, compares = -1, False
        depth += (text == "<") - closes
        if depth <= 0:
            return


def _is_no_template(text: str, names: set[str]) -> bool:
    return text in names or text[:1].isdigit()
