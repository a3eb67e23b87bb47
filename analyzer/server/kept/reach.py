"""Which bodies of functions something can rest on: those whose names it speaks of, and so on.

In: the bodies of a file that stand for themselves, and the words around them. Out: the bodies that
a text can lead to. A name counts wherever it is written, whatever it means there, so what is found
is more than what is called. A body is in reach of everything where its name is spoken of outside of
bodies more often than it is defined: by a prototype, a macro or an initialiser; and so are all
where a macro may put names together.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from ...cuda.host.values.instances import code_of
from ...source.records import dataclass
from ...source.tokens import tokenize
from .recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...cuda.syntax import nodes

_MOST = 4_000  # texts
_WORD = re.compile(r"[^\W\d]\w*")
_PASTED = re.compile(r"##|%:%:")


class Side(Enum):
    """Who runs a function of an edited file: kernel, device or host."""

    KERNEL = "kernel"
    DEVICE = "device"
    HOST = "host"  # or both


@dataclass(frozen=True, slots=True)
class Body:
    """What stands between the braces of a function."""

    function: nodes.Function
    side: Side
    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(self.function.decl.name)


class Words:
    """The words of texts, but for comments and literals: of the texts that were asked for last."""

    def __init__(self) -> None:
        self._kept = Recent[str, "Mapping[str, int]"](_MOST)
        self._given = Recent[str, "frozenset[str]"](_MOST)

    def of(self, text: str) -> Mapping[str, int]:
        """How often each word stands in a text."""
        found = self._kept.get(text)
        if found is None:
            tokens = tokenize(text)[0]
            found = Counter(tokens.texts)
            for kind, line in zip(tokens.kinds, tokens.texts, strict=True):
                if kind == "DIRECTIVE":
                    found.update(_WORD.findall(line))
            self._kept.keep(text, found)
        return found

    def with_arguments(self, text: str) -> frozenset[str]:
        """The words behind which `<` stands, as it does before template arguments."""
        found = self._given.get(text)
        if found is None:
            words = code_of(text).split(" ")
            found = frozenset(a for a, b in pairwise(words) if b.startswith("<"))
            self._given.keep(text, found)
        return found


class Reach:
    """Which bodies of functions the texts of one edited file can lead to."""

    def __init__(self, bodies: Sequence[Body], around: Sequence[str], words: Words) -> None:
        self._words = words
        self._named: dict[str, list[Body]] = {}
        for each in bodies:
            self._named.setdefault(each.name, []).append(each)
        self._pasted = any(_PASTED.search(each) for each in around)
        mentioned = [words.of(each) for each in around]
        self._always = [
            name
            for name, own in self._named.items()
            if self._pasted or sum(each.get(name, 0) for each in mentioned) > len(own)
        ]

    def of(self, texts: Iterable[str], but: Side | None = None) -> list[Body]:
        """The bodies that texts lead to, but for those of one side, in the order of the file."""
        found: dict[int, Body] = {}
        seen: set[str] = set()
        names = {*self._always, *(name for text in texts for name in self._names(text))}
        while names:
            seen |= names
            new = [each for name in names for each in self._named[name] if each.side is not but]
            found.update((each.start, each) for each in new)
            names = {name for each in new for name in self._names(each.text)} - seen
        return [found[start] for start in sorted(found)]

    def _names(self, text: str) -> set[str]:
        """The names of functions that a text speaks of."""
        return self._words.of(text).keys() & self._named.keys()
