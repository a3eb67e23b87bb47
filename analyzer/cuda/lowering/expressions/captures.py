"""What a lambda holds: the scope that its body is read in.

In: a lambda where control comes by it. Out: its value; what it captures by copy is a variable of
its own that begins with what it had there ([expr.prim.lambda.capture]), so that later changes
outside are not seen inside, and what a `mutable` body changes lasts until the next call. A copy of
such a closure has copies of these. Not handled: arrays and what lies in memory, which a body reads
where they are if nothing changes them and is not known otherwise; copies of `*this`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....ir.memory import Space
from ....ir.values import ObjectAddress
from ...syntax import nodes
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import (
    ClassPlace,
    LambdaValue,
    MemoryPlace,
    Scope,
    Typed,
    ValuePlace,
    VariablePlace,
)
from ..state.homes import keeps
from ..types import template_packs
from .packs import argument_places

if TYPE_CHECKING:
    from ..model.scope import Binding, Place
    from ..state.context import Context


def closure(context: Context, node: nodes.Lambda) -> Typed:
    """The value of a lambda expression."""
    scope = Scope(context.scope)
    copies = any(each.name is None and not each.by_reference for each in node.captures or ())
    named = {each.name: each for each in node.captures or () if each.name is not None}
    for name in dict.fromkeys(nodes.identifiers(node.body)) if copies else ():
        if name not in named:
            _copy(context, scope, name)
    for name, capture in named.items():
        if isinstance(capture.value, nodes.Pack):
            places = argument_places(context, [capture.value])
            values = places if capture.by_reference else _read(context, places)
            scope.names[name] = template_packs.of_places(name, values)
        elif capture.value is not None:
            place = context.place(capture.value)
            own = capture.by_reference or isinstance(place.type.origin, LambdaValue)
            scope.names[name] = place if own else _variable(context, name, context.read(place))
        elif not capture.by_reference:
            _copy(context, scope, name)
    origin = LambdaValue(node, scope, context.frame.this)
    type = ctypes.CType(Form.CLASS, "lambda", origin=origin)
    return context.unknown(type, "a lambda", per_thread=False)


def separated(context: Context, value: Typed) -> Typed:
    """A copy of a value: of a closure that changes what it holds, one with variables of its own."""
    origin = value.type.origin
    if not isinstance(origin, LambdaValue) or "mutable" not in (origin.node.specifiers or ()):
        return value
    scope = Scope(origin.scope.parent)
    for name, place in origin.scope.names.items():
        own = place
        if isinstance(place, VariablePlace | ClassPlace):
            own = _variable(context, name, context.read(place))
        scope.names[name] = own
    return Typed(value.value, replace(value.type, origin=replace(origin, scope=scope)))


def _read(context: Context, places: list[Place]) -> list[Place]:
    return [ValuePlace(context.read(each)) for each in places]


def _copy(context: Context, scope: Scope, name: str) -> None:
    """Capture a variable by copy; what is no local variable is not captured."""
    found = context.scope.find(name)
    if found is None or _is_of_this(context, name, found):
        return
    if isinstance(found, VariablePlace | ClassPlace):
        scope.names[name] = _variable(context, name, context.read(found))
    elif isinstance(found, MemoryPlace) and _is_local(found) and not keeps(context, name):
        held = context.unknown(found.type, f"{name}, as a lambda copied it")
        if found.type.is_scalar:
            held = context.read(found)
        scope.names[name] = _variable(context, name, held)


def _variable(context: Context, name: str, value: Typed) -> Place:
    if not value.type.is_scalar and value.type.form is not Form.CLASS:
        return ValuePlace(value)
    made = context.registers(name, value.type)
    context.put(made, value)
    return made


def _is_of_this(context: Context, name: str, found: Binding) -> bool:
    """Whether a name is a member of the object around: the lambda then holds its address."""
    this = context.frame.this
    return this is not None and (name == "this" or this.type.member(name) is not None)


def _is_local(place: MemoryPlace) -> bool:
    address = place.address
    return isinstance(address, ObjectAddress) and address.object.space is Space.LOCAL
