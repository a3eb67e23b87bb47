"""Sizes, alignments and offsets: `sizeof`, `alignof`, `offsetof`.

In: what they are asked of, a type or an expression. Out: the number, as a value of the program; one
that is not known is the same for the whole grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax.c_ast import c_ast
from ..model import ctypes
from ..model.scope import Typed
from ..types import constants
from ..types.offsets import offset

if TYPE_CHECKING:
    from ..state.context import Context
    from ..types.constant_arithmetic import Number


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
    scope, program, reader = context.scope, context.program, context.reader

    def evaluated(node: Any) -> Number | None:
        return constants.evaluate(node, scope, program, reader)

    number = offset(arguments, scope, reader, evaluated)
    if number is None:
        return context.unknown(ctypes.ULONG, "offsetof", per_thread=False)
    return context.constant(number, ctypes.ULONG)
