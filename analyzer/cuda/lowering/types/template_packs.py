"""Packs among template parameters: `template <int... I>`, `template <class... T>`.

In: the arguments that a pack takes in, expansions such as `make<N - 1, N - 1, I...>` among them.
Out: the place that a pack's name stands for; the scopes in which its name stands for one element
after the other; the value of a fold over constants. Follows the C++ standard, [temp.variadic] and
[expr.prim.fold]. Not handled: packs of templates, and of values that are not all constants.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from ....ir.types import UNKNOWN
from ....ir.values import Constant, Unknown
from ...syntax import nodes
from ..model import ctypes
from ..model.scope import PackPlace, Scope, Typed, ValuePlace
from ..program.parameters import names_in
from .constant_arithmetic import apply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..model.ctypes import CType
    from ..model.scope import Place
    from .constant_arithmetic import Number

MOST = 1024  # elements of a pack: as many as a block has threads
OF_NOTHING = {"&&": 1, "||": 0}  # what these make of an empty pack


Written = tuple[Any, Scope]  # a template argument, and the scope that it is read in


def spread(arguments: Sequence[Any], scope: Scope) -> tuple[list[Written], bool]:
    """Template arguments, expansions gone through; and whether these are all: what follows an
    expansion of packs that are not known stands nobody knows where.
    """
    found: list[Written] = []
    for argument in arguments:
        if not isinstance(argument, nodes.Pack):
            found.append((argument, scope))
            continue
        if not any(packs_of(argument.pattern, scope)):
            return found, False
        found += [(argument.pattern, inner) for inner in elements(argument.pattern, scope)]
        if len(found) > MOST:
            return found[:MOST], False
    return found, True


def of_places(name: str, places: Iterable[Place], *, of_types: bool = False) -> PackPlace:
    """A pack among template parameters with these elements."""
    nothing = Typed(Unknown(UNKNOWN, f"{name} is a pack"), ctypes.unknown("auto"))
    return PackPlace(nothing, tuple(places), of_types)


def of_types(name: str, types: Iterable[CType]) -> PackPlace:
    """A pack of types among template parameters: its elements have them and no values."""
    values = (Typed(Unknown(type.ir(), f"{name} is a pack of types"), type) for type in types)
    return of_places(name, map(ValuePlace, values), of_types=True)


def identity(pack: PackPlace) -> tuple[object, ...]:
    """What tells packs among template parameters apart: their constants, or their types."""
    return tuple(
        _of_element(each, each.value.value) for each in pack.places if isinstance(each, ValuePlace)
    )


def _of_element(place: ValuePlace, value: object) -> object:
    if isinstance(value, Constant):
        return value.value
    return of_type(place.type)


def of_type(type: CType) -> tuple[object, ...]:
    """What tells types apart: the same class of another instance is another type."""
    return type.name, type.size, id(type.origin)


def rest(pack: PackPlace, name: str, start: int) -> PackPlace:
    """The elements of a parameter pack from one on, by another name."""
    return of_places(name, pack.places[start:], of_types=pack.of_types)


def packs_of(pattern: Any, scope: Scope) -> Iterator[tuple[str, PackPlace]]:
    """The packs that an expansion names, each once."""
    for name in dict.fromkeys(names_in(pattern)):
        found = scope.pack(name)
        if found is not None:
            yield name, found


def elements(pattern: Any, scope: Scope) -> Iterator[Scope]:
    """For each element of the packs in an expansion, a scope in which their names stand for it."""
    packs = list(packs_of(pattern, scope))
    for index in range(min((len(pack.places) for _, pack in packs), default=0)):
        inner = Scope(scope)
        for name, pack in packs:
            place = pack.places[index]
            inner.names[name] = place
            if pack.of_types:
                inner.types[name] = place.type
        yield inner


class Folding(NamedTuple):
    """A fold taken apart: what is written once for each element, what stands on the other side of
    it, and whether it goes from the left.
    """

    pattern: Any
    others: list[Any]
    from_left: bool


def folding_of(node: nodes.Fold, scope: Scope) -> Folding | None:
    """The fold, where one side names packs that are known and the other does not."""
    sides = [side for side in (node.left, node.right) if side is not None]
    patterns = [side for side in sides if any(packs_of(side, scope))]
    if len(patterns) != 1:
        return None
    (pattern,) = patterns
    others = [side for side in sides if side is not pattern]
    return Folding(pattern, others, node.left is None or node.right is pattern)


def folded(
    node: nodes.Fold, scope: Scope, value: Callable[[Any, Scope], Number | None]
) -> Number | None:
    """The value of a fold over constants, by `value`; None where one is not known."""
    folding = folding_of(node, scope)
    if folding is None:
        return None
    start = [value(side, scope) for side in folding.others]
    values = [value(folding.pattern, inner) for inner in elements(folding.pattern, scope)]
    from_left = folding.from_left
    ordered = [*start, *values] if from_left else [*start, *reversed(values)]
    if not ordered:
        return OF_NOTHING.get(node.op)

    def joined(held: Number | None, other: Number | None) -> Number | None:
        if held is None or other is None:
            return None
        made = apply(node.op, held, other) if from_left else apply(node.op, other, held)
        fits = not isinstance(made, int) or -(2**31) <= made < 2**31  # no type wraps there
        return made if fits else None

    return reduce(joined, ordered)
