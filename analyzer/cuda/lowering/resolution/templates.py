"""Template arguments of a call: explicit ones, then deduced from the arguments, then defaults.

Deduction covers `T`, `T*`, `const T&`, `T (&a)[N]`, `Vec<T, N> &` (C++ standard,
[temp.deduct.call], its simple forms). A parameter that stays open reads as a type or value not
known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....ir.values import Constant
from ...syntax import nodes
from ...syntax.c_ast import c_ast
from ..expressions.packs import is_pack
from ..model import ctypes
from ..model.ctypes import CType, Form
from ..model.scope import ClassScope, ValuePlace
from ..program.effects import has_effects
from ..types import constants
from ..types.trait_names import as_type
from .methods import parameters_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..model.scope import Place, Scope
    from ..state.context import Context


def bind_templates(
    context: Context,
    function: nodes.Function,
    explicit: list[Any],
    places: list[Place],
    scope: Scope,
) -> None:
    """Bind the template parameters of `function` in `scope`."""
    template = function.template
    if template is None:
        return
    outer = context.scope
    count = len(explicit)
    given = nodes.Template(template.parameters[:count])
    context.reader.bind_arguments(given, explicit, scope, outer)
    _bind_symbolic(context, given.parameters, explicit, scope)
    open_names = {
        parameter.name: parameter
        for parameter in template.parameters[count:]
        if parameter.name and not parameter.pack
    }
    for parameter, place in zip(parameters_of(function), places, strict=False):
        deduce(parameter.type, place.type, open_names, scope)
    rest = [
        parameter
        for parameter in template.parameters
        if parameter.name not in scope.types and parameter.name not in scope.names
    ]
    # An argument that is written, and not known, leaves no room for the default.
    by_default = [each for each in rest if each not in given.parameters]
    context.reader.bind_arguments(nodes.Template(by_default), [], scope, scope)
    bind_open(context, rest, scope)


def instance_of(function: nodes.Function, scope: Scope, arguments: int) -> Hashable:
    """What tells the instances of a function template apart; None for a plain function. Values and
    types that are not known count as the same.
    """
    if function.template is None:
        return None
    parts: list[Hashable] = [arguments if any(map(is_pack, parameters_of(function))) else 0]
    for parameter in function.template.parameters:
        place, type = scope.names.get(parameter.name), scope.types.get(parameter.name)
        if isinstance(place, ValuePlace) and isinstance(place.value.value, Constant):
            parts.append(place.value.value.value)
        elif type is not None:
            parts.append((type.name, type.size, id(type.origin)))
        else:
            parts.append(None)
    return tuple(parts)


def _bind_symbolic(
    context: Context, parameters: list[Any], explicit: list[Any], scope: Scope
) -> None:
    """Bind values that are not known to what they are computed from: `tile<WIDTH / 4>(p)`."""
    for parameter, argument in zip(parameters, explicit, strict=False):
        name = parameter.name
        if parameter.kind != "value" or not name or parameter.pack or name in scope.names:
            continue
        if isinstance(argument, c_ast.Node) and not has_effects(argument):
            value = context.expression(argument)
            type = context.reader.read(parameter.type, scope)
            if value.type.is_scalar:
                scope.names[name] = ValuePlace(context.convert(value, type))


def bind_open(context: Context, parameters: list[Any], scope: Scope) -> None:
    """Bind what stays open to types and values that are not known, the same for every thread."""
    for parameter in parameters:
        name = parameter.name
        if not name or name in scope.types or name in scope.names:
            continue
        if parameter.kind == "value":
            type = context.reader.read(parameter.type, scope)
            reason = f"template parameter {name} is unknown here"
            scope.names[name] = ValuePlace(context.unknown(type, reason, per_thread=False))
        else:
            scope.types[name] = ctypes.unknown(name)


def deduce(node: Any, type: CType, open_names: dict[str, Any], scope: Scope) -> None:
    """Bind the open parameters that a declared type and the type of an argument settle."""
    whole = True
    while isinstance(node, nodes.Reference | nodes.Pack):
        whole = whole and not isinstance(node, nodes.Reference)
        node = node.type if isinstance(node, nodes.Reference) else node.pattern
    _deduce(node, type, open_names, scope, whole=whole)


def _deduce(
    node: Any, type: CType, open_names: dict[str, Any], scope: Scope, *, whole: bool = False
) -> None:
    """`whole` is a parameter that is no reference: the argument's own qualifiers are dropped, and
    an array is a pointer.
    """
    if isinstance(node, c_ast.Typename):
        _deduce(node.type, type, open_names, scope)
    elif isinstance(node, c_ast.IdentifierType):
        if node.names[-1] in open_names and node.names[-1] not in scope.types:
            scope.types[node.names[-1]] = type
    elif isinstance(node, nodes.NamedType):
        _deduce_instance(node.name, type, open_names, scope)
    elif isinstance(node, c_ast.TypeDecl) and isinstance(node.type, nodes.NamedType):
        _deduce_instance(node.type.name, type, open_names, scope)
    elif isinstance(node, c_ast.TypeDecl):
        names = getattr(node.type, "names", None)
        if names and names[-1] in open_names and names[-1] not in scope.types:
            if whole and type.form is Form.ARRAY and type.element is not None:
                type = ctypes.pointer_to(type.element)  # it is passed as a pointer
            quals = node.quals or ()
            scope.types[names[-1]] = replace(
                type,
                const=type.const and not whole and "const" not in quals,
                volatile=type.volatile and not whole and "volatile" not in quals,
            )
    elif isinstance(node, c_ast.PtrDecl) and type.element is not None:
        _deduce(node.type, type.element, open_names, scope)
    elif isinstance(node, c_ast.ArrayDecl) and type.form is Form.ARRAY and type.element is not None:
        dimension = getattr(node.dim, "name", None)
        if dimension in open_names and type.extent is not None and dimension not in scope.names:
            scope.names[dimension] = constants.place(type.extent, ctypes.INT)
        _deduce(node.type, type.element, open_names, scope)


def _deduce_instance(name: Any, type: CType, open_names: dict[str, Any], scope: Scope) -> None:
    """`Vec<T, N>`: what an instance of that class template was made with."""
    written = name.parts[-1] if isinstance(name, nodes.QualifiedName) else name
    instance = type.origin.instance if isinstance(type.origin, ClassScope) else None
    if instance is None or not isinstance(written, nodes.TemplateId):
        return
    definition, bound = instance
    if definition.name != written.name:
        return
    for parameter, argument in zip(definition.template.parameters, written.arguments, strict=False):
        if parameter.pack:
            return  # what follows stands at other places
        if parameter.kind == "type":
            held = bound.types.get(parameter.name)
            if held is not None and held.form is not Form.UNKNOWN:
                _deduce(as_type(argument), held, open_names, scope)
            continue
        given = bound.names.get(parameter.name)
        passed = argument.name if isinstance(argument, c_ast.ID) else ""
        if passed in open_names and passed not in scope.names and isinstance(given, ValuePlace):
            scope.names[passed] = given
