"""Names of `<type_traits>` in a file: which types and numbers they stand for.

In: a name with template arguments and the scope it is read in. Out: what `type_traits.py` makes of
it; None where it names no trait, or where the file defines a template of that name itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes, type_traits
from ..model.scope import ClassScope, Scope
from ..program.template_arguments import as_type
from . import constant_places, constants

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..program.program import Program
    from .reading import Reader

_CONSTANTS = frozenset({"integral_constant", "bool_constant"})


def type_named(
    name: nodes.TemplateId, scope: Scope, program: Program, reader: Reader
) -> CType | None:
    """`std::conditional_t<...>`, `std::integral_constant<int, 4>`."""
    if name.name.endswith("_t"):
        plain = nodes.TemplateId(name.name[:-2], name.arguments, coord=name.coord)
        return _made(plain, scope, program, reader)
    if name.name in _CONSTANTS and name.arguments:
        value = constants.evaluate(name.arguments[-1], scope, program, reader)
        return None if value is None else constant_class(name.name, value)
    return None


def type_of_trait(
    name: nodes.QualifiedName, scope: Scope, program: Program, reader: Reader
) -> CType | None:
    """`std::conditional<...>::type`."""
    last, before = name.parts[-1], name.parts[-2:-1]
    if not before or not _names(last, "type") or not isinstance(before[0], nodes.TemplateId):
        return None
    return _made(before[0], scope, program, reader)


def _made(name: nodes.TemplateId, scope: Scope, program: Program, reader: Reader) -> CType | None:
    if name.name not in type_traits.TRAITS or name.name in program.classes or not name.arguments:
        return None
    types = [reader.read(as_type(argument), scope) for argument in name.arguments]
    first = constants.evaluate(name.arguments[0], scope, program, reader)
    return type_traits.made(name.name, types, first)


def said(name: Any, scope: Scope, program: Program, reader: Reader) -> int | None:
    """`std::is_same_v<T, float>`, `std::is_same<T, float>::value`: what a trait says."""
    last = name.parts[-1] if isinstance(name, nodes.QualifiedName) else name
    if isinstance(last, nodes.TemplateId) and last.name.endswith("_v"):
        value, short = last, last.name[:-2]
    elif _names(last, "value") and isinstance(name, nodes.QualifiedName):
        value, short = name.parts[-2], getattr(name.parts[-2], "name", "")
    else:
        return None
    if not isinstance(value, nodes.TemplateId) or short not in type_traits.TRAITS:
        return None
    if short in program.classes or value.name in program.variables:
        return None
    return type_traits.said(
        short, [reader.read(as_type(argument), scope) for argument in value.arguments]
    )


@cache
def truth(name: str) -> CType | None:
    """`std::true_type`, `std::false_type`."""
    if name not in ("true_type", "false_type"):
        return None
    return constant_class(name, int(name == "true_type"))


@cache
def constant_class(name: str, value: float) -> CType:
    """The type of a class with nothing but a constant `value`: `std::true_type`."""
    definition = nodes.ClassDefinition("struct", name, [], [], None, [], nodes.Virtual.NOTHING)
    scope = Scope()
    scope.names["value"] = constant_places.place(value, ctypes.INT)
    type = ctypes.lay_out(name, [], union=False)
    return replace(type, origin=ClassScope(definition, scope, ()))


def _names(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name


def as_value(argument: Any) -> Any:
    """A template argument that reads like a type, as the name that it is."""
    while isinstance(argument, c_ast.Typename | c_ast.TypeDecl | nodes.NamedType):
        argument = argument.name if isinstance(argument, nodes.NamedType) else argument.type
    return argument
