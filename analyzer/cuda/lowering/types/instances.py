"""The instances of class templates in one translation unit: each is laid out once.

In: what an instance's parameters are bound to, and how to lay it out. Out: its type, the same for
the same arguments. A class that derives from a template of itself, `class A : Base<A>`, is asked
for while it is being laid out: it is laid out once more then, as what it derives from may need its
members; who asks from in there gets a type without any, and finds the class itself in its place
once that is known (`bind`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....ir.values import Constant
from ..model import ctypes
from ..model.scope import PackPlace, Unfinished, ValuePlace
from . import template_packs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..model.ctypes import CType
    from ..model.scope import Scope
    from ..program.namespaces import Path

    Chosen = tuple[Any, Scope]  # a definition, and what its own parameters are bound to

_INSIDE_ITSELF = 2  # layouts of a class at a time


class Instances:
    """The instances of class templates, and what is bound to those that are not known yet."""

    def __init__(self) -> None:
        self._made: dict[object, CType] = {}
        self._chosen: dict[object, tuple[Chosen | None, Scope]] = {}  # with what a key has by id
        self._begun: Counter[object] = Counter()  # being laid out
        self._unfinished: dict[object, CType] = {}
        self._waiting: dict[object, list[tuple[Scope, str]]] = {}
        self._defaults: dict[object, ValuePlace] = {}  # of parameters, where they are not known

    def of(self, definition: object, bound: Scope, lay_out: Callable[[], CType]) -> CType:
        """The instance of a template with these parameters."""
        key = (id(definition), *_identities(bound))
        known = self._made.get(key)
        if known is not None:
            return known
        if self._begun[key] >= _INSIDE_ITSELF:
            unknown = replace(ctypes.unknown("recursive type"), origin=Unfinished(key))
            return self._unfinished.setdefault(key, unknown)
        self._begun[key] += 1
        try:
            made = lay_out()
        finally:
            self._begun[key] -= 1
        self._made[key] = made
        for scope, name in self._waiting.pop(key, ()):
            scope.types[name] = made
        return made

    def specialized(
        self, definition: Any, bound: Scope, around: Path, chosen: Callable[[], Chosen | None]
    ) -> Chosen | None:
        """The definition that stands for these parameters as `around` sees it, and the scope of its
        own; chosen once where all of them are numbers.
        """
        if bound.types or any(isinstance(each, PackPlace) for each in bound.names.values()):
            return chosen()
        key = (id(definition), around, *_identities(bound))
        if key not in self._chosen:
            self._chosen[key] = chosen(), bound
        found = self._chosen[key][0]
        return found if found is None or found[0] is not definition else (definition, bound)

    def bind(self, scope: Scope, name: str, type: CType) -> None:
        """A template parameter is a type, or will be, once that is known."""
        scope.types[name] = type
        if isinstance(type.origin, Unfinished):
            self._waiting.setdefault(type.origin.key, []).append((scope, name))

    def default(
        self, parameter: object, bound: Scope, made: Callable[[], ValuePlace]
    ) -> ValuePlace:
        """The default of a parameter that is not known: what the others are decides about it."""
        key = (id(parameter), *_identities(bound))
        found = self._defaults.get(key)
        if found is None:
            found = self._defaults[key] = made()
        return found


def _identities(bound: Scope) -> Iterator[object]:
    """What tells instances of a template apart: what its parameters are."""
    for name, type in bound.types.items():
        yield name, *template_packs.of_type(type)
    for name, place in bound.names.items():
        yield name, _identity(place)


def _identity(place: Any) -> object:
    """What tells values of template parameters apart."""
    if isinstance(place, PackPlace):
        return template_packs.identity(place)
    value = place.value.value if isinstance(place, ValuePlace) else place
    return value.value if isinstance(value, Constant) else id(value)
