"""`#pragma pack`: how far the members of the classes behind it are aligned at most.

In: the tokens of a translation unit, such pragmas among them as the preprocessor left them, those
of headers where they were included. Out: tokens without them, in which every class that they hold
for says so in its head, as an attribute would: `struct __pack(2) A {`. That is what Microsoft's and
GNU's compilers take them for ("Structure-Layout Pragmas" in GCC's manual).

Not handled: a pragma inside of a class, whose later members it would concern; limits that are
no plain number, which are taken back by the next `pop` and hold for nothing.
"""

from __future__ import annotations

import re

from ...source.tokens import Tokens
from ..syntax.normalise import PACK

_PACK = re.compile(r"pack\b")
_WORDS = re.compile(r"\w+")
_OPENS = {"(": 1, "[": 1, ")": -1, "]": -1}
_NO_HEAD = frozenset([";", "=", "}", ">", ">>"])  # what ends what began like a class
_DEEPEST = 256  # pragmas that push, in each other
_LONGEST = 1_024  # tokens between the word that begins a class and its brace


def with_packed_classes(tokens: Tokens) -> Tokens:
    """`tokens` itself where no pragma packs anything."""
    if not any(_is_pragma(tokens, at) for at in range(len(tokens)) if tokens.kinds[at] == "PRAGMA"):
        return tokens
    out, start = Tokens(), 0
    limits: list[tuple[str, int | None]] = []
    limit: int | None = None
    for at, kind in enumerate(tokens.kinds):
        if kind == "PRAGMA" and _is_pragma(tokens, at):
            out.extend(tokens.cut(start, at))
            start = at + 1
            limit = _limit_behind(_WORDS.findall(tokens.texts[at])[1:], limit, limits)
        elif kind == "CLASSKEY" and limit is not None and _defines(tokens, at):
            out.extend(tokens.cut(start, at + 1))
            start = at + 1
            _add(out, limit, tokens.places[at])
    out.extend(tokens.cut(start, len(tokens)))
    return out


def _is_pragma(tokens: Tokens, at: int) -> bool:
    return _PACK.match(tokens.texts[at]) is not None


def _limit_behind(
    words: list[str], limit: int | None, limits: list[tuple[str, int | None]]
) -> int | None:
    """The limit from a pragma on; `push` and `pop` go by the words between the parentheses."""
    number = next((int(word) for word in words if word.isdigit()), None)
    names = [word for word in words if not word.isdigit()]
    if names[:1] == ["push"]:
        if len(limits) < _DEEPEST:
            limits.append(("".join(names[1:2]), limit))
        return limit if number is None else number or None
    if names[:1] == ["pop"]:
        wanted = "".join(names[1:2])
        while limits:
            name, limit = limits.pop()
            if not wanted or name == wanted:
                break
        return limit if number is None else number or None
    return number or None


def _defines(tokens: Tokens, at: int) -> bool:
    """Whether `struct` begins a definition, not a template's parameter or the use of a name."""
    if at and tokens.kinds[at - 1] == "ENUM":
        return False
    depth = angles = 0
    for index in range(at + 1, min(len(tokens), at + _LONGEST)):
        text = tokens.texts[index]
        depth += _OPENS.get(text, 0)
        if depth > 0:
            continue
        if text == "{":
            return True
        if text == "<":
            angles += 1
        elif text in (">", ">>") and angles >= len(text):
            angles -= len(text)
        elif not angles and (depth < 0 or text in _NO_HEAD):
            return False
    return False


def _add(out: Tokens, limit: int, place: int) -> None:
    words = (("_ALIGNAS", PACK), ("LPAREN", "("), ("NUMBER", str(limit)), ("_RPAR", ")"))
    for kind, text in words:
        out.kinds.append(kind)
        out.texts.append(text)
        out.places.append(place)
