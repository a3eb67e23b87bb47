"""Objects taken for what their classes convert them to: `int i = object`, `s[object]`.

In: a class value, and the type that is wanted, if one is. Out: what the conversion function gives,
inlined; None where the class and its bases have none that fits, or several. Follows the C++
standard, [class.conv.fct]. Not handled: conversion functions that are templates; `explicit` is
not asked, as what is compiled only needs it where it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model.classes import Method, lineage
from ..model.ctypes import Form
from ..model.scope import ClassScope, ValuePlace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model.ctypes import CType
    from ..model.scope import Typed
    from ..state.context import Context

_QUALIFIERS = frozenset({"const", "volatile", "&", "&&"})
_MARK = "operator "  # `operator T *`, never `operator*`


class Conversion(NamedTuple):
    """A conversion function, the class that has it, and what it gives."""

    function: nodes.Function
    owner: ClassScope
    type: CType


def as_number(context: Context, value: Typed, target: CType | None = None) -> Typed | None:
    """An object as a number, of the type that is wanted if one is."""
    if not isinstance(value.type.origin, ClassScope):
        return None
    found = [each for each in _conversions(context, value.type.origin) if _is_number(each.type)]
    exact = [each for each in found if target is not None and each.type.name == target.name]
    others = [each for each in found if each.type.form is not Form.BOOL]
    fitting = exact or others or found
    if len(fitting) != 1:
        return None
    (chosen,) = fitting
    method = Method(chosen.function, chosen.owner, ValuePlace(value))
    return context.read(context.inline(method, [], [], result=chosen.type))


def _is_number(type: CType) -> bool:
    return type.is_scalar and type.form is not Form.POINTER


def _conversions(context: Context, origin: ClassScope) -> Iterator[Conversion]:
    """The conversion functions of a class, then those of its bases."""
    for owner in lineage(origin):
        for member in _converting(owner):
            name = member.decl.name
            if member.template is None and "*" not in name:
                words = [word for word in _words(name) if word not in _QUALIFIERS]
                type = context.reader.read(c_ast.IdentifierType(words), owner.scope)
                yield from (
                    Conversion(function, owner, type)
                    for function in context.program.methods(owner.definition, name)[:1]
                )


def _converting(origin: ClassScope) -> Iterator[nodes.Function]:
    """The members of a class that convert it, as they are written in it."""
    for member in origin.definition.members or ():
        if isinstance(member, nodes.Function) and member.is_conversion:
            yield member


def _words(name: str) -> list[str]:
    return name.removeprefix(_MARK).replace("&", " & ").split()


def conversion(context: Context, value: Typed, target: CType) -> Typed:
    """A class converted to a pointer by its own conversion operator."""
    origin = value.type.origin
    if isinstance(origin, ClassScope):
        for member in _converting(origin):
            name = member.decl.name
            if member.body is not None and "*" in name and "const" not in name:
                method = Method(member, origin, ValuePlace(value))
                found = context.read(context.inline(method, [], [], result=target))
                return context.convert(found, target)
    return context.unknown(target, f"a conversion of {value.type.name}")


def replaced(context: Context, operands: list[Typed]) -> list[Typed] | None:
    """The operands of a built-in operator, each object as a number; None where one is none."""
    found = [
        as_number(context, each) if each.type.form is Form.CLASS else each for each in operands
    ]
    known = [each for each in found if each is not None and each.type.form is not Form.CLASS]
    return known if len(known) == len(operands) else None
