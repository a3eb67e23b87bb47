"""Macros that have a value only because nothing at hand defines them: `#ifndef BLOCK`.

In: each `#define` that is met, with the conditions around it that nothing settles, and the tokens
between. Out: where such a macro is used, or one that is made of it. A header that was not found may
define it otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .tokens import Tokens

_WORD = re.compile(r"[A-Za-z_]\w*")


class MacroDefaults:
    """The macros of one translation unit that only an `#ifndef` gives a value, as far as it was
    read.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self.uses: list[tuple[int, int]] = []  # places and lengths

    def define(self, directive: str, conditions: Sequence[str]) -> None:
        """A `#define` is met; `conditions` are the open ones that are not settled."""
        if not conditions and not self._names:
            return
        name, *body = _WORD.findall(directive)[1:] or [""]
        asked = any(name in _WORD.findall(condition) for condition in conditions)
        if asked or not self._names.isdisjoint(body):
            self._names.add(name)
        else:
            self._names.discard(name)

    def note(self, tokens: Tokens) -> None:
        """Tokens in which the macros known so far may be used."""
        if not self._names or self._names.isdisjoint(tokens.texts):
            return
        for text, place in zip(tokens.texts, tokens.places, strict=True):
            if text in self._names:
                self.uses.append((place, len(text)))
