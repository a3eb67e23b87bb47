"""What variables and members hold at first.

In: an initialiser of any form and the type of what it is for. Out: the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.values import Undefined
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..library import atomic_objects
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import ClassPlace, ListPlace, MemoryPlace, Typed, ValuePlace
from ..operators.conversions import conversion
from ..operators.operators import combined
from ..types import atomic_types
from .casts import construct, implicit
from .packs import argument_places, expanded

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context


def blank(place: Place, reason: str, write: Callable[[Place, Typed], None]) -> None:
    """Give a variable in registers a value that nothing set: nothing is stored where it is in
    memory.
    """
    if isinstance(place, ClassPlace):
        for part in place.parts:
            blank(part, reason, write)
    elif not isinstance(place, MemoryPlace):
        write(place, Typed(Undefined(place.type.ir(), reason), place.type))


def blank_members(place: Place, name: str, write: Callable[[Place, Typed], None]) -> None:
    """The same for a variable of a class that says nothing of what it begins with: each member goes
    by its own name.
    """
    if not isinstance(place, ClassPlace):
        blank(place, f"{name} is not initialised", write)
        return
    for member, part in zip(place.type.members, place.parts, strict=False):
        blank_members(part, f"{name}.{member.name}", write)


def initial_value(context: Context, init: Any, type: CType) -> Typed:
    """What an initialiser of any form makes a variable or member of that type hold."""
    if atomic_types.is_reference(type):
        items = initial_items(init)
        if len(items) == 1:
            return atomic_objects.refer(context, type, context.place(items[0]))
    if isinstance(init, c_ast.InitList):
        places = _listed(context, init, type)
        context.at(init)
        return construct(context, type, places)
    if isinstance(init, nodes.Construct) and init.type is None:
        places = argument_places(context, init.arguments or ())
        context.at(init)
        return construct(context, type, places)
    value = context.expression(init)
    if type.form is Form.POINTER and value.type.form is Form.CLASS:
        return conversion(context, value, type)
    return implicit(context, value, ctypes.deduced(type, value.type))


def initial_items(init: Any) -> list[Any]:
    """What stands in the braces or parentheses of an initialiser."""
    if isinstance(init, c_ast.InitList):
        return list(init.exprs or ())
    made = isinstance(init, nodes.Construct) and init.type is None
    return list(init.arguments or ()) if made else []


def _listed(context: Context, init: Any, type: CType) -> list[Place]:
    """The places of `{1, {2, 3}}` and `{.x = 1}`, in the order of the members."""
    items = list(init.exprs or ())
    if not any(isinstance(item, c_ast.NamedInitializer) for item in items):
        types = [member.type for member in type.members]
        return [
            ValuePlace(initial_value(context, item, types[index]))
            if isinstance(item, c_ast.InitList) and index < len(types)
            else context.place(item)
            for index, item in enumerate(expanded(context, items))
        ]
    named = {
        getattr(item.name[0], "name", ""): item.expr
        for item in items
        if isinstance(item, c_ast.NamedInitializer) and item.name
    }
    return [
        ValuePlace(
            initial_value(context, named[member.name], member.type)
            if member.name in named
            else zero(context, member.type)
        )
        for member in type.members
    ]


def listed(context: Context, node: Any) -> ListPlace:
    """A list in braces as an argument, or on the right of `=`."""
    items = list(expanded(context, node.exprs or ()))
    names = tuple(
        str(getattr(item.name[0], "name", ""))
        for item in items
        if isinstance(item, c_ast.NamedInitializer) and item.name
    )
    written = [item.expr if isinstance(item, c_ast.NamedInitializer) else item for item in items]
    parts = tuple(
        listed(context, each)
        if isinstance(each, c_ast.InitList)
        else ValuePlace(context.expression(each))
        for each in written
    )
    context.at(node)
    value = combined(context, [part.value for part in parts])
    if len(parts) == 1 and not names:
        value = parts[0].value
    return ListPlace(value, parts, names)


def settled(context: Context, given: Place | None, type: CType) -> Typed | None:
    """The value that `{a, b}` makes of a type; None for no list, or where the type does not say."""
    if not isinstance(given, ListPlace) or type.form in (Form.UNKNOWN, Form.ARRAY, Form.VOID):
        return None
    parts = given.parts
    if given.names:
        if len(given.names) != len(parts):
            return None
        named = dict(zip(given.names, parts, strict=True))
        made = [
            ValuePlace(_part(context, named[member.name], member.type))
            if member.name in named
            else ValuePlace(zero(context, member.type))
            for member in type.members
        ]
        return construct(context, type, [*made])
    types = [member.type for member in type.members]
    placed = [
        ValuePlace(_part(context, part, types[index])) if index < len(types) else part
        for index, part in enumerate(parts)
        if isinstance(part, ValuePlace)
    ]
    return construct(context, type, [*placed])


def _part(context: Context, part: Place, type: CType) -> Typed:
    return settled(context, part, type) or context.read(part)


def zero(context: Context, type: CType) -> Typed:
    """The value that zero-initialisation puts into an object of that type."""
    if type.is_scalar:
        return context.constant(0, type)
    return context.unknown(type, "zero-initialised", per_thread=False)
