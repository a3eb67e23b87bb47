"""Patterns of names with `*`, `?` and `[...]`, matched in time linear in the name.

In: one pattern without `/`. Out: a `Glob` that says whether a name as a whole is like it. What
stands between two stars may be taken where it is found first: a later place would leave the rest
less room, and never more. So no star is tried twice, however many there are (R. Cox, "Glob Matching
Can Be Simple And Fast Too", 2017). As for git, a range that runs backwards holds its
first character, and a `[` without an end makes a pattern that nothing is like.
Not handled: classes with names, `[[:alpha:]]`, which hold their letters.
"""

from __future__ import annotations

import re
from functools import cached_property

LONGEST = 4_096  # characters: no path is longer, and nothing is like a longer pattern


class Glob:
    """A pattern for names of files, with `*`, `?` and `[...]`, compiled when it is first asked."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def matches(self, name: str) -> bool:
        """Whether the whole name is like the pattern."""
        expression = self._expression
        return expression is not None and expression.fullmatch(name) is not None

    @cached_property
    def _expression(self) -> re.Pattern[str] | None:
        pieces = _pieces(self._pattern) if len(self._pattern) <= LONGEST else None
        if pieces is None:
            return None
        first, *rest = pieces
        if not rest:
            return re.compile(first, re.DOTALL)
        middle = "".join(f"(?>.*?{piece})" for piece in rest[:-1] if piece)
        return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL)


def _pieces(pattern: str) -> list[str] | None:
    """What stands between the stars, as regular expressions; None for no valid pattern."""
    pieces = [""]
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == "*":
            pieces.append("")
        elif character == "?":
            pieces[-1] += "."
        elif character == "[":
            end = _end_of_class(pattern, at)
            if end < 0:
                return None
            pieces[-1] += _class(pattern[at:end])
            at = end + 1
        else:
            if character == "\\":
                if at == len(pattern):
                    return None
                character = pattern[at]
                at += 1
            pieces[-1] += re.escape(character)
    return pieces


def _end_of_class(pattern: str, at: int) -> int:
    """The `]` that ends a class; one that stands first belongs to it."""
    at += pattern[at : at + 1] in ("!", "^")
    return pattern.find("]", at + 1)


def _class(text: str) -> str:
    negated = text[0] in "!^"
    text = text[1:] if negated else text
    parts: list[str] = []
    at = 0
    while at < len(text):
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            low, high = text[at], text[at + 2]
            parts.append(f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low))
            at += 3
        else:
            parts.append(re.escape(text[at]))
            at += 1
    return f"[{'^' if negated else ''}{''.join(parts)}]"
