"""Literals → typed constants (C++ standard, [lex.literal]): suffixes and sizes decide the type.

In: a c_ast.Constant. Out: its value; a string is the address of an array of its own in global
memory, where nvcc puts it. Not handled: how many bytes escapes and prefixes make of a string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir import types as ir
from ...ir.memory import MemoryObject, Space
from ...ir.values import ObjectAddress
from . import constants, ctypes
from .scope import Typed

if TYPE_CHECKING:
    from .context import Context
    from .ctypes import CType


def lower(context: Context, node: Any) -> Typed:
    """The value of a literal."""
    text = node.value
    if node.type == "string" or text[-1:] == '"':
        return Typed(_string(context, text), ctypes.pointer_to(ctypes.CHAR))
    value = constants.literal(text)
    if value is None:
        if text in ("nullptr", "NULL"):
            return context.constant(0, ctypes.pointer_to(ctypes.VOID))
        return context.unknown(ctypes.INT, f"literal {text[:20]}", per_thread=False)
    return context.constant(value, _literal_type(text.lower(), value))


def _string(context: Context, text: str) -> ObjectAddress:
    """The address of a string; equal ones are one array."""
    known = context.strings.get(text)
    if known is None:
        span = context.builder.location.span
        known = MemoryObject(text[:40], Space.GLOBAL, ctypes.CHAR.ir(), None, span=span)
        context.strings[text] = known
        context.kernel.objects.append(known)
    return ObjectAddress(ir.POINTER, known)


def _literal_type(text: str, value: int | float) -> CType:
    if text in ("true", "false"):
        return ctypes.BOOL
    if isinstance(value, float):
        return ctypes.FLOAT if text.endswith("f") else ctypes.DOUBLE
    if "'" in text and not text[0].isdigit():
        return ctypes.CHAR
    tail = text[len(text.rstrip("ulz")) :]
    unsigned = "u" in tail
    decimal = text[0] != "0"
    if "l" in tail or "z" in tail or value > 0xFFFFFFFF:
        return ctypes.ULONG if unsigned or (value >> 63 and not decimal) else ctypes.LONG
    if value > 0x7FFFFFFF and not unsigned:
        return ctypes.LONG if decimal else ctypes.UINT
    return ctypes.UINT if unsigned else ctypes.INT
