"""What the names in sight are: types, templates or values.

In: the tables of `grammars/cuda_names.toml`, the declarations of a translation unit, and those of
the function being parsed. Out: the kind of a name, or None when nothing is known about it. Scopes
inside a function are not told apart: the latest declaration of a name counts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ....grammars import grammar_data

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPE = "type"
TYPE_TEMPLATE = "type template"
FUNCTION_TEMPLATE = "function template"
VALUE = "value"


@cache
def _builtin_names() -> dict[str, str]:
    data = grammar_data("cuda_names.toml")
    names = {}
    for word in " ".join(data["types"].values()).split():
        names[word] = TYPE
    for word in data["templates"]["types"].split():
        names[word] = TYPE_TEMPLATE
    for word in data["templates"]["functions"].split():
        names[word] = FUNCTION_TEMPLATE
    for word in data["variables"]["names"].split():
        names[word] = VALUE
    return names


class Names:
    """The names of one translation unit, and those of the function at hand on top of them.

    There is one table: what a function declares is written into it, and taken out at its end. A
    copy for each function would cost as many names as the file has, once for each of its functions.
    """

    __slots__ = ("_begun", "_journal", "classes", "known")

    def __init__(self) -> None:
        self.known = dict(_builtin_names())  # the kinds by name
        self.classes: set[str] = set()
        self._begun: int | None = None  # the length of the journal when the function began
        self._journal: list[tuple[str, str | None]] = []  # names, and what they were before

    def enter(self) -> None:
        """Begin a function: what is declared from here on is forgotten by `leave`."""
        self._begun = len(self._journal)

    def leave(self) -> None:
        """End the function."""
        self.rollback(self._begun or 0)
        self._begun = None
        self._journal.clear()

    def mark(self) -> int:
        """Where `rollback` can return to, as long as the function has not been left."""
        return len(self._journal)

    def rollback(self, mark: int) -> None:
        """Forget what was declared since `mark`: it was read wrongly."""
        while len(self._journal) > mark:
            name, kind = self._journal.pop()
            if kind is None:
                self.known.pop(name, None)
            else:
                self.known[name] = kind

    def since(self, mark: int) -> dict[str, str]:
        """What was declared since `mark`, and is not what it was before."""
        before: dict[str, str | None] = {}
        for name, kind in self._journal[mark:]:
            before.setdefault(name, kind)
        known = self.known
        return {n: known[n] for n, kind in before.items() if known.get(n, kind) != kind}

    def add(self, names: Mapping[str, str]) -> None:
        """Note all of these, as a class has them for its functions."""
        for name, kind in names.items():
            self._journal.append((name, self.known.get(name)))
            self.known[name] = kind

    def declare(self, name: str | None, kind: str) -> None:
        """Note what `name` is from here on."""
        if name:
            before = self.known.get(name)
            if kind == VALUE and self._begun is None and before == FUNCTION_TEMPLATE:
                return  # an overload that is no template hides none
            self._journal.append((name, before))
            self.known[name] = kind
