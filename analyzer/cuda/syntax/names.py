"""What the names in sight are: types, templates or values.

In: the tables of `grammars/cuda_names.toml`, the declarations of a translation unit, and those of
the function being parsed. Out: the kind of a name, or None when nothing is known about it. Scopes
inside a function are not told apart: the latest declaration of a name counts.
"""

from __future__ import annotations

from functools import cache

from ....grammars import grammar_data

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
    """The names of one translation unit, and those of the function at hand on top of them."""

    __slots__ = ("_inner", "_journal", "classes", "unit")

    def __init__(self) -> None:
        self.unit = dict(_builtin_names())
        self.classes: set[str] = set()
        self._inner: dict[str, str] | None = None
        self._journal: list[tuple[dict[str, str], str, str | None]] = []

    def enter(self) -> None:
        """Begin a function: what is declared from here on is forgotten by `leave`."""
        self._inner = self.unit.copy()

    def leave(self) -> None:
        """End the function."""
        self._inner = None
        self._journal.clear()

    def mark(self) -> int:
        """Where `rollback` can return to, as long as the function has not been left."""
        return len(self._journal)

    def rollback(self, mark: int) -> None:
        """Forget what was declared since `mark`: it was read wrongly."""
        while len(self._journal) > mark:
            names, name, kind = self._journal.pop()
            if kind is None:
                names.pop(name, None)
            else:
                names[name] = kind

    def since(self, mark: int) -> dict[str, str]:
        """What was declared since `mark`, and is not what it was before."""
        before: dict[str, str | None] = {}
        for names, name, kind in self._journal[mark:]:
            if names is self.known:
                before.setdefault(name, kind)
        known = self.known
        return {n: known[n] for n, kind in before.items() if known.get(n, kind) != kind}

    @property
    def known(self) -> dict[str, str]:
        """The kinds by name."""
        return self.unit if self._inner is None else self._inner

    def declare(self, name: str | None, kind: str) -> None:
        """Note what `name` is from here on."""
        if name:
            names = self.unit if self._inner is None else self._inner
            if kind == VALUE and self._inner is None and names.get(name) == FUNCTION_TEMPLATE:
                return  # an overload that is no template hides none
            self._journal.append((names, name, names.get(name)))
            names[name] = kind
