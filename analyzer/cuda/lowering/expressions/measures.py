"""Sizes, alignments and offsets: `sizeof`, `alignof`, `offsetof`.

In: what they are asked of, a type or an expression. Out: the number, as a value of the program; one
that is not known is the same for the whole grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.scope import Typed
from ..types import constants
from ..types.offsets import offset

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..state.context import Context
    from ..types.constant_arithmetic import Number


def size_of(context: Context, operand: Any) -> Typed:
    """The value of `sizeof(T)`, `sizeof x`."""
    if isinstance(operand, c_ast.Typename):
        type = context.reader.read(operand, context.scope)
    else:
        type = context.place(operand).type
    name = _qualified(operand)
    if name is not None and type.size is None:
        member = _member(context, name)
        if member is None:  # no type that the kernel accesses elements of
            return context.unknown(ctypes.ULONG, "sizeof", per_thread=False)
        type = member
    return Typed(context.size_of(type), ctypes.ULONG)


def _qualified(operand: Any) -> nodes.QualifiedName | None:
    """The name in `sizeof(T::x)`, whether x was read as a type or as a member."""
    if isinstance(operand, c_ast.Typename) and isinstance(operand.type, c_ast.TypeDecl):
        named = operand.type.type
        operand = named.name if isinstance(named, nodes.NamedType) else None
    return operand if isinstance(operand, nodes.QualifiedName) else None


def _member(context: Context, name: nodes.QualifiedName) -> CType | None:
    """The type of the data member that it names, as `float4::x`; None where that is not known."""
    *before, last = name.parts
    path = before[0] if len(before) == 1 else nodes.QualifiedName(before, name.rooted)
    if not before or not isinstance(last, c_ast.ID):
        return None
    found = context.reader.read(nodes.NamedType(path), context.scope).member(last.name)
    return None if found is None else found.type


def alignment_of(context: Context, operand: Any) -> Typed:
    """The value of `alignof(T)`."""
    asked = isinstance(operand, c_ast.Typename)
    type = context.reader.read(operand, context.scope) if asked else ctypes.unknown("auto")
    if type.size is None or type.alignment is None:
        return context.unknown(ctypes.ULONG, "alignof", per_thread=False)
    return context.constant(type.alignment, ctypes.ULONG)


def offset_of(context: Context, arguments: list[Any]) -> Typed:
    """The value of `offsetof(T, member)`."""
    scope, program, reader = context.scope, context.program, context.reader

    def evaluated(node: Any) -> Number | None:
        return constants.evaluate(node, scope, program, reader)

    number = offset(arguments, scope, reader, evaluated)
    if number is None:
        return context.unknown(ctypes.ULONG, "offsetof", per_thread=False)
    return context.constant(number, ctypes.ULONG)
