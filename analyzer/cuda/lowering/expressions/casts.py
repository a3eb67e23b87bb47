"""Casts, functional casts and constructions: values of a wanted type.

In: a cast or construction node, or a type and its arguments. Out: the value. Casts to references
name the same place; a class made from arguments is an aggregate unless a constructor is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.memory import Space
from ....ir.operation_kinds import Function
from ....ir.operations import Convert
from ....ir.values import ObjectAddress
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..library import atomic_objects, library_models
from ..model import ctypes
from ..model.classes import is_or_has_base
from ..model.ctypes import Form
from ..model.scope import ClassScope, MemoryPlace, Typed, ValuePlace
from ..operators.conversions import conversion
from ..program.parameters import parameters_of, takes
from ..types import atomic_types, library_types
from .packs import argument_places

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context


def cast(context: Context, node: Any) -> Typed:
    """The value of the cast `(T)e`."""
    return _cast_to(context, node.to_type, node.expr)


def named_cast(context: Context, node: Any) -> Typed:
    """The value of `static_cast<T>(e)` and its sisters."""
    if isinstance(node.type.type, nodes.Reference):
        return context.read(context.place(node))
    return _cast_to(context, node.type, node.expression)


def _cast_to(context: Context, type_node: Any, expression: Any) -> Typed:
    type = context.reader.read(type_node, context.scope)
    value = context.expression(expression)
    context.at(expression)
    if type.form is Form.UNKNOWN:
        # Integers are indices, whose arithmetic is the same; of a number its precision is lost.
        is_index = value.type.is_scalar and value.type.form is not Form.FLOAT
        return Typed(value.value, value.type if is_index else type)
    if type.form is Form.POINTER and value.type.form is Form.CLASS:
        return conversion(context, value, type)
    return _written(context, value, type)


def _written(context: Context, value: Typed, type: CType) -> Typed:
    """A conversion that stands in the source."""
    made = context.convert(value, type)
    if isinstance(made.value, Convert) and made.value is not value.value:
        made.value.written = True
    return made


def construction(context: Context, node: Any) -> Typed:
    """The value of `T(a, b)`, `T{a, b}`; of a call when the file has a function of that name."""
    name = context.program.called(node)
    if name:
        arguments = c_ast.ExprList(node.arguments, node.coord)
        return context.expression(c_ast.FuncCall(c_ast.ID(name), arguments, node.coord))
    type = context.reader.read(node.type, context.scope)
    if library_types.is_collective(type):
        return collective(context, type, argument_places(context, node.arguments))
    if atomic_types.is_reference(type) and len(node.arguments) == 1:
        return atomic_objects.refer(context, type, context.place(node.arguments[0]))
    places = argument_places(context, node.arguments)
    context.at(node)
    return construct(context, type, places)


def collective(context: Context, type: CType, places: list[Place]) -> Typed:
    """A CUB collective made from its storage, which is only named, not read."""
    made = context.unknown(type, "a CUB collective")
    if len(places) == 1 and isinstance(places[0], MemoryPlace):
        context.storages[made.value] = places[0].address
    return made


def made_of_nothing(context: Context, node: Any) -> Typed:
    """`Tag<1>()` as an argument: it reads as the type of a function that takes nothing."""
    if not isinstance(node.type, c_ast.FuncDecl) or node.type.args is not None:
        context.opaque("a type is no value")
        return context.unknown(ctypes.unknown("auto"), "a type is no value")
    made = c_ast.Typename(None, [], None, node.type.type, node.coord)
    return construction(context, nodes.Construct(made, [], False))


def implicit(context: Context, value: Typed, target: CType) -> Typed:
    """A value converted without a cast to what is made from it: an object that is initialised,
    assigned, passed or returned. A constructor of a class makes it from what is no such object.
    """
    given, origin = value.type, target.origin
    made = target.form is Form.CLASS and isinstance(origin, ClassScope)
    if made and given.form not in (Form.UNKNOWN, Form.VOID) and given.name != target.name:
        assert isinstance(origin, ClassScope)
        name = origin.definition.name
        found = context.program.methods(origin.definition, name)
        converting = any(takes(parameters_of(function), 1) for function in found)
        if converting and not is_or_has_base(given.origin, origin):
            return construct(context, target, [ValuePlace(value)])
    return context.convert(value, target)


def construct(context: Context, type: CType, places: list[Place]) -> Typed:
    """A value of `type` made from arguments: a conversion, an aggregate, or a constructor."""
    if type.is_scalar:
        if not places:
            return context.constant(0, type)
        return _written(context, context.read(places[0]), type)
    if type.form is Form.CLASS:
        from . import constructors

        if len(places) == 1 and places[0].type.name == type.name:
            return context.read(places[0])
        if type.name == "dim3":
            ones = [context.constant(1, ctypes.UINT)] * 3
            return context.aggregate(type, [*map(context.read, places), *ones][:3])
        return constructors.constructor(context, type, places)
    if not places:
        shared = library_models.shared_memory(context, type)
        return shared or context.unknown(type, f"a new {type.name}")
    arguments = [context.read(place) for place in places]
    if any(map(_is_given_memory, arguments)):
        return context.call(type.name, type, arguments, "its class is unknown")
    operands = [argument.value for argument in arguments]
    return Typed(context.pure(Function.NEW_OBJECT, operands, type).value, type)


def _is_given_memory(argument: Typed) -> bool:
    """Whether an object gets the address of an array of the thread, or of the block, and may write
    there.
    """
    value = argument.value
    return isinstance(value, ObjectAddress) and value.object.space in (Space.LOCAL, Space.SHARED)


def bit_cast(context: Context, wanted: Any, value: Typed) -> Typed:
    """`std::bit_cast<T>(value)`: the same bits; between integers and pointers a conversion."""
    type = context.reader.read(wanted, context.scope)
    whole = (Form.POINTER, Form.INTEGER)
    if type.form in whole and value.type.form in whole:
        return context.convert(value, type)
    return context.pure("bit_cast", [value.value], type)
