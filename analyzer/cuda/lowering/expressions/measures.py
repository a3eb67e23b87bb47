"""Sizes, alignments and offsets: `sizeof`, `alignof`, `offsetof`.

In: what they are asked of, a type or an expression. Out: the number, as a value of the program; one
that is not known is the same for the whole grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax.c_ast import c_ast
from ..model import ctypes
from ..model.scope import Typed
from ..types import constants, trait_names

if TYPE_CHECKING:
    from ..model.scope import Scope
    from ..program.program import Program
    from ..state.context import Context
    from ..types.type_reader import TypeReader

OFFSET_OF = frozenset({"offsetof", "__builtin_offsetof"})


def size_of(context: Context, operand: Any) -> Typed:
    """`sizeof(T)`, `sizeof x`."""
    if isinstance(operand, c_ast.Typename):
        type = context.reader.read(operand, context.scope)
    else:
        type = context.place(operand).type
    return Typed(context.size_of(type), ctypes.ULONG)


def alignment_of(context: Context, operand: Any) -> Typed:
    """`alignof(T)`."""
    asked = isinstance(operand, c_ast.Typename)
    type = context.reader.read(operand, context.scope) if asked else ctypes.unknown("auto")
    if type.size is None or type.alignment is None:
        return context.unknown(ctypes.ULONG, "alignof", per_thread=False)
    return context.constant(type.alignment, ctypes.ULONG)


def offset_of(context: Context, arguments: list[Any]) -> Typed:
    """`offsetof(T, member)`."""
    number = offset(arguments, context.scope, context.program, context.reader)
    if number is None:
        return context.unknown(ctypes.ULONG, "offsetof", per_thread=False)
    return context.constant(number, ctypes.ULONG)


def offset(given: list[Any], scope: Scope, program: Program, reader: TypeReader) -> int | None:
    """`offsetof(T, a.b[2])`: where the member lies; None when that is not known."""
    first, member = given
    type, offset = reader.read(trait_names.as_type(first), scope), 0
    path: list[Any] = []
    while isinstance(member, c_ast.StructRef | c_ast.ArrayRef):
        path.insert(0, member)
        member = member.name
    for step in (member, *path):
        if isinstance(step, c_ast.ArrayRef):
            index = constants.evaluate(step.subscript, scope, program, reader)
            element = type.element
            if not isinstance(index, int) or element is None or element.size is None:
                return None
            type, offset = element, offset + index * element.size
            continue
        name = step.field.name if isinstance(step, c_ast.StructRef) else step.name
        found = type.member(name) if isinstance(name, str) else None
        if found is None or found.offset is None:
            return None
        type, offset = found.type, offset + found.offset
    return offset
