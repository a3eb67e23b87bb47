"""Template arguments of a call: explicit ones, then deduced from the arguments, then defaults.

In: a function template, what its call names and the places of the arguments. Out: its parameters
bound in a scope. A parameter that stays open reads as a type or value not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.scope import PackPlace, ValuePlace
from ..program.effects import has_effects
from ..program.parameters import explicit_head, is_pack, parameters_of, template_head
from ..types import constant_places, template_packs
from ..types.deduction import deduce, deducible

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
    head, count = template_head(function), len(explicit)
    given = explicit_head(function, count)
    context.reader.bind_arguments(given, explicit, scope, outer)
    _bind_symbolic(context, given.parameters, explicit, scope)
    open_names = deducible(head[count:])
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
        if isinstance(place, PackPlace):
            parts.append(template_packs.identity(place))
        elif (number := constant_places.held_by(place)) is not None:
            parts.append(number)
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
    """Bind open template parameters to types and values not known, the same for every thread."""
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
