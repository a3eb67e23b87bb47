"""Parameter packs: `template <class... A> f(A &&...a) { g(a...); }`.

In: the arguments of a call that a declared pack takes in, and argument lists with expansions. Out:
a place that holds the pack, and the places of all arguments, one for each element of a pack; the
value of a fold expression. Follows the C++ standard, [temp.variadic], for packs of function
parameters, of the types that they deduce and of constants, and [expr.prim.fold]. Not handled: packs
of types that no parameter has.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from ....ir.operations import Opcode
from ....ir.types import PREDICATE
from ...syntax import nodes
from ..model import ctypes
from ..model.scope import (
    LambdaValue,
    MemoryPlace,
    PackPlace,
    ReferencePlace,
    Typed,
    ValuePlace,
)
from ..operators.operators import operate
from ..program.effects import has_effects
from ..types import template_packs
from ..types.deduction import pack_of_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..model.scope import Place
    from ..state.context import Context


def bind_pack(context: Context, parameter: Any, given: list[Place]) -> None:
    """Bind a parameter pack, and its types; copies, unless it is declared with a reference."""
    context.work(len(given))
    by_reference = isinstance(parameter.type.pattern, nodes.Reference)
    places = given if by_reference else [ValuePlace(context.read(place)) for place in given]
    context.scope.names.update(pack_of_types(parameter, [place.type for place in given]))
    if parameter.name:
        context.scope.names[parameter.name] = template_packs.of_places(parameter.name, places)


def argument_places(context: Context, arguments: Iterable[Any]) -> list[Place]:
    """The places of the arguments of a call, packs expanded; what is taken by value is read where
    it stands.
    """
    return [_argument(context, each) for each in expanded(context, arguments)]


def _argument(context: Context, node: Any) -> Place:
    place = context.place(node)
    if not isinstance(place, MemoryPlace):
        return place
    context.at(node)
    return replace(place, argument=context.builder.location)


def expanded(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    """The expressions in a list, the pattern of a pack once for each element: to be gone through to
    its end, as the pack's name stands for one element at a time.
    """
    for item in items:
        pattern = item.pattern if isinstance(item, nodes.Pack) else None
        if pattern is None or not any(template_packs.packs_of(pattern, context.scope)):
            yield item
            continue
        for _ in _elements(context, pattern):
            yield pattern


def _elements(context: Context, pattern: Any) -> Iterator[None]:
    """Each element of the packs in an expansion in turn, their names standing for it meanwhile."""
    outer = context.scope
    for context.scope in template_packs.elements(pattern, outer):
        yield
    context.scope = outer


def fold(context: Context, node: nodes.Fold) -> Typed:
    """The value of `(... + x)`, `(x && ...)`, `(n + ... + x)`, `(f(x), ...)`: over the elements of
    packs.

    Not understood without a known pack, or where the value of an element decides whether the next
    one is asked for and that matters.
    """
    folding = template_packs.folding_of(node, context.scope)
    logical = node.op in template_packs.OF_NOTHING
    if folding is None or (logical and has_effects(folding.pattern)):
        context.opaque("Fold is not supported")
        return context.unknown(ctypes.unknown("auto"), "Fold is not supported")
    pattern, others, from_left = folding
    start = [context.expression(side) for side in others]
    values = [context.expression(pattern) for _ in _elements(context, pattern)]
    context.at(node)
    values = [*start, *values] if from_left else [*values, *start]
    if not values:
        empty = template_packs.OF_NOTHING.get(node.op)
        return context.nothing() if empty is None else context.constant(empty, ctypes.BOOL)
    if not from_left:
        values.reverse()
    return reduce(lambda held, value: _joined(context, node.op, held, value, from_left), values)


def _joined(context: Context, op: str, held: Typed, value: Typed, from_left: bool) -> Typed:
    if op == ",":
        return value if from_left else held
    if op in template_packs.OF_NOTHING:
        opcode = Opcode.AND if op == "&&" else Opcode.OR
        both = context.truth(held), context.truth(value)
        return Typed(context.builder.compute(opcode, PREDICATE, *both), ctypes.BOOL)
    return operate(context, op, held, value) if from_left else operate(context, op, value, held)


def unknown(context: Context, node: Any) -> Typed:
    """The value of an expansion of an unknown pack: an opaque call gets the variables it names."""
    bound = [context.scope.find(name) for name in dict.fromkeys(nodes.identifiers(node))]
    places = [
        place
        for found in bound
        if found is not None and not isinstance(found, LambdaValue | ReferencePlace)
        for place in (found.places if isinstance(found, PackPlace) else (found,))
    ]
    reached = [
        context.address(place) if isinstance(place, MemoryPlace) else context.read(place)
        for place in places
    ]
    reason = "an unknown pack"
    return context.call("a pack", ctypes.unknown("auto"), reached, reason)
