"""Literals → typed constants (C++ standard, [lex.literal]): suffixes and sizes decide the type.

In: a c_ast.Constant. Out: its value; a string is a pointer to something not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import constants, ctypes

if TYPE_CHECKING:
    from .context import Context
    from .ctypes import CType
    from .scope import Typed


def lower(context: Context, node: Any) -> Typed:
    """The value of a literal."""
    text = node.value
    if node.type == "string" or text[-1:] == '"':
        return context.unknown(ctypes.pointer_to(ctypes.CHAR), "a string", per_thread=False)
    value = constants.literal(text)
    if value is None:
        if text in ("nullptr", "NULL"):
            return context.constant(0, ctypes.pointer_to(ctypes.VOID))
        return context.unknown(ctypes.INT, f"literal {text[:20]}", per_thread=False)
    return context.constant(value, _literal_type(text.lower(), value))


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
