"""The `)` of each `(`, as far as code that may be damaged has one.

In: the kinds of the tokens of a piece of code. Out: for an opening token the one that closes it;
the last token where a `;` of its own, but for those of `for`, or the `}` of the braces around it
comes first. Most are near and looked for where they are asked for; the first one that is not has
all of them found at once, in one pass: thousands of `f(x;` must not be searched to the end each.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEAR = 256  # tokens


class Parentheses:
    """The closing tokens of one piece of code; the last of its tokens is `$END`."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = kinds

    def closing(self, index: int) -> int:
        """The `)` of the `(` at `index`, or the last token."""
        last = len(self._kinds) - 2
        found = self._near(index, min(index + _NEAR, last + 2))
        if found is None and self._kinds[index] != "LPAREN":
            found = self._near(index, last + 2)
        elif found is None:
            found = self._all.get(index)
        return last if found is None or found < 0 else found

    def _near(self, index: int, stop: int) -> int | None:
        """What is found before `stop`: -1 where there is no closing one, None for nothing yet."""
        depth = braces = 0
        kinds = self._kinds
        for at in range(index, stop):
            kind = kinds[at]
            if kind == "LPAREN" or at == index:
                depth += 1
            elif kind == "_RPAR":
                depth -= 1
                if not depth:
                    return at
            elif kind == "BRACE":
                braces += 1
            elif kind == "_RBRACE":
                braces -= 1
                if braces < 0:
                    return -1
            elif kind == "_SEMI" and depth == 1 and not braces and kinds[index - 1] != "_FOR":
                return -1
        return None

    @cached_property
    def _all(self) -> dict[int, int]:
        """The closing token of each `(` that has one."""
        kinds = self._kinds
        found: dict[int, int] = {}
        waiting: list[tuple[int, int]] = []  # each `(` and how many braces are open around it
        around: list[list[int]] = [[]]  # by open brace: the `(` in it
        given_up: set[int] = set()
        for at, kind in enumerate(kinds):
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
            elif kind == "_SEMI" and waiting:
                opening, braces = waiting[-1]
                if braces == len(around) and kinds[opening - 1] != "_FOR":
                    given_up.add(opening)
        return found
