"""The `)` of each `(`, as far as code that may be damaged has one.

In: the kinds of the tokens of a piece of code, of which nothing is parsed yet. Out: for each `(`
the token that closes it; nothing where a `;` of its own, but for those of `for`, or the `}` of the
braces around it comes first. One pass: thousands of `f(x;` must not be searched to the end each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERESTING = frozenset(["LPAREN", "_RPAR", "BRACE", "_RBRACE", "_SEMI"])


def matching_parentheses(kinds: Sequence[str]) -> dict[int, int]:
    """The closing token of each `(` that has one."""
    found: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []  # each `(` and how many braces are open around it
    around: list[list[int]] = [[]]  # by open brace: the `(` in it
    given_up: set[int] = set()
    for at, kind in enumerate(kinds):
        if kind not in _INTERESTING:
            continue
        if kind == "LPAREN":
            waiting.append((at, len(around)))
            around[-1].append(at)
        elif kind == "_RPAR":
            if waiting:
                opening, _ = waiting.pop()
                if opening not in given_up:
                    found[opening] = at
        elif kind == "BRACE":
            around.append([])
        elif kind == "_RBRACE":
            given_up.update(each for each in around.pop() if each not in found)
            around = around or [[]]
        elif waiting:
            opening, braces = waiting[-1]
            if braces == len(around) and kinds[opening - 1] != "_FOR":
                given_up.add(opening)
    return found
