"""Names that several namespaces declare: which declaration is meant, by where control is.

In: declarations with the namespaces around them, and the place that names are looked up from. Out:
what a name stands for there: that of the innermost namespace around the place; nothing where
several namespaces declare it and none of them lies around. A name that one namespace alone declares
is found from everywhere, and so is the first declaration of one that is declared again in the same.
Behind namespaces, `narrow::width`, a name stands for what that very namespace declares, else what
is nested least deeply in it (it is inline, or a directive brings it there), never for one that no
namespace declares. Aliases of namespaces are followed. Not handled: using directives, which bring
names from elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .namespaces import depth_below

if TYPE_CHECKING:
    from collections.abc import Sequence

Path = tuple[str, ...]


class Place:
    """Where names are looked up from: the namespaces and classes around it, and the other names
    that namespaces have.
    """

    def __init__(self) -> None:
        self.scope: Path = ()
        self.aliases: dict[str, Path] = {}


class _Declarations:
    """The declarations of one name, each by the namespaces around it; the first of each counts."""

    def __init__(self) -> None:
        self.of: dict[Path, Any] = {}
        self._within: dict[str, list[Path]] = {}

    def add(self, scope: Path, declaration: Any) -> None:
        """Take in one, unless its namespace has one."""
        if scope in self.of:
            return
        self.of[scope] = declaration
        for namespace in dict.fromkeys(scope):
            self._within.setdefault(namespace, []).append(scope)

    def within(self, namespace: str) -> list[Path]:
        """The namespaces of those that stand in one of that name, however deep in it."""
        return self._within.get(namespace, [])

    def around(self, place: Path) -> Path | None:
        """The innermost namespace around a place that has one."""
        ends = range(len(place), -1, -1)
        return next((place[:end] for end in ends if place[:end] in self.of), None)


_NONE = _Declarations()


class ScopedNames(dict[str, Any]):
    """Names with their declarations, as seen from a place."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place
        self._declared: dict[str, _Declarations] = {}
        self._of_classes: set[tuple[str, Path]] = set()

    def declare(self, name: str, declaration: Any, scope: Path, *, of_class: bool = False) -> None:
        """Take in a declaration; a further one of the same namespace says nothing new."""
        if of_class:
            self._of_classes.add((name, scope))
        self._declared.setdefault(name, _Declarations()).add(scope, declaration)
        self.setdefault(name, declaration)

    def withdraw(self, name: str) -> None:
        """Several classes declare it: without its class it is what namespaces declare, if any."""
        known = self._declared.pop(name, _NONE)
        self.pop(name, None)
        for scope, each in known.of.items():
            if (name, scope) not in self._of_classes:
                self.declare(name, each, scope)

    def is_declared(self, name: str) -> bool:
        """Whether anything has this name, wherever."""
        return super().__contains__(name)

    def is_ambiguous(self, name: str) -> bool:
        """Whether several namespaces declare a name."""
        return len(self._declared.get(name, _NONE).of) > 1

    def is_within(self, namespace: str, name: str) -> bool:
        """Whether a namespace of that name, at any depth, declares it or what lies in it does."""
        return bool(self._declared.get(name, _NONE).within(namespace))

    def is_of_class(self, name: str) -> bool:
        """Whether the declaration that a name stands for is a member of a class."""
        return (name, self.scope_of(name)) in self._of_classes

    def scope_of(self, name: str) -> Path:
        """The namespaces around the declaration that a name stands for."""
        chosen = self.get(name)
        known = self._declared.get(name, _NONE).of
        return next((scope for scope, each in known.items() if each is chosen), ())

    def within(self, path: Sequence[str], name: str) -> Any:
        """What a name stands for that is written behind namespaces, `narrow::width`."""
        written = tuple(filter(None, path))
        spelled = tuple(part for each in written for part in self._place.aliases.get(each, (each,)))
        known = self._declared.get(name, _NONE)
        inside = known.within(spelled[-1]) if spelled else list(known.of)
        depths = [depth_below(scope, spelled) for scope in inside]
        least = min((depth for depth in depths if depth is not None), default=-1)
        nearest = [scope for depth, scope in zip(depths, inside, strict=True) if depth == least]
        if len(nearest) > 1:  # `a::detail::n` and `b::detail::n`: who is in `a` means the first
            around = self._place.scope
            nearest = [scope for scope in nearest if scope[:1] == around[:1]]
        if len(nearest) == 1:
            return known.of[nearest[0]]
        if len(known.of) != 1:
            return None
        scope, only = next(iter(known.of.items()))
        return only if scope or not written else None

    def get(self, name: str, default: Any = None) -> Any:
        """What a name stands for, seen from the place."""
        known = self._declared.get(name)
        if known is None or len(known.of) < 2:
            return super().get(name, default)
        scope = known.around(self._place.scope)
        return default if scope is None else known.of[scope]

    def __getitem__(self, name: str) -> Any:
        if not self.is_ambiguous(name):
            return super().__getitem__(name)
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        if not super().__contains__(name):
            return False
        ambiguous = isinstance(name, str) and self.is_ambiguous(name)
        return not ambiguous or self.get(str(name)) is not None
