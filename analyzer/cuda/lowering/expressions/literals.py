"""Literals → typed constants (C++ standard, [lex.literal]): suffixes and sizes decide the type.

In: a c_ast.Constant. Out: its value; a string is the address of an array of its own in global
memory, where nvcc puts it, and the characters that an array is filled with. Not handled: how many
bytes a character behind ASCII takes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.memory import MemoryObject, Space
from ....ir.values import ObjectAddress
from ....source.numbers import integer
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.scope import Typed
from ..types.number_literals import literal

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..state.context import Context


_STRING = re.compile(
    r'(?:u8|[uUL])?(?:R"(?P<mark>[^(]*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<plain>(?:[^"\\]|\\.)*)")',
    re.DOTALL,
)
_CHARACTER = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]+)|(?P<octal>[0-7]{1,3})|u(?P<four>[0-9a-fA-F]{4})"
    r"|U(?P<eight>[0-9a-fA-F]{8})|(?P<sign>.))|.",
    re.DOTALL,
)
_OWN_SUFFIX = re.compile(r"(?P<number>\.?\d[\w.']*?)(?P<suffix>_[A-Za-z]\w*)$")
_SIGNS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))


def is_string(node: Any) -> bool:
    """Whether an expression is a string literal."""
    return isinstance(node, c_ast.Constant) and (node.type == "string" or node.value[-1:] == '"')


def characters(node: Any) -> list[int]:
    """The characters of a string literal, several in a row as one, without the 0 at the end."""
    found: list[int] = []
    for part in _STRING.finditer(node.value):
        if part["raw"] is not None:
            found += map(ord, part["raw"])
            continue
        for each in _CHARACTER.finditer(part["plain"]):
            number = each["hex"] or each["four"] or each["eight"]
            if number or each["octal"]:
                found.append((integer(number, 16) or 0) if number else int(each["octal"], 8))
            else:
                sign = each["sign"]
                found.append(ord(_SIGNS.get(sign, sign) if sign else each[0]))
    return found


def lower(context: Context, node: Any) -> Typed:
    """The value of a literal."""
    text = node.value
    if is_string(node):
        return Typed(_string(context, text), ctypes.pointer_to(ctypes.CHAR))
    value = literal(text)
    if value is None:
        if text in ("nullptr", "NULL"):
            return context.constant(0, ctypes.pointer_to(ctypes.VOID))
        defined = _of_own_suffix(context, node)
        return defined or context.unknown(ctypes.INT, f"literal {text[:20]}", per_thread=False)
    return context.constant(value, _literal_type(text.lower(), value))


def _of_own_suffix(context: Context, node: Any) -> Typed | None:
    """`4_k`: what the literal operator of the file makes of the number."""
    parts = _OWN_SUFFIX.match(node.value)
    name = f'operator""{parts["suffix"]}' if parts else ""
    defined = [each for each in context.program.functions.get(name, ()) if each.body is not None]
    if parts is None or len(defined) != 1 or defined[0].template is not None:
        return None
    number = parts["number"]
    whole = isinstance(literal(number), int)
    given = c_ast.Constant("int", number + "ull" if whole else number, node.coord)
    arguments = c_ast.ExprList([given], node.coord)
    return context.expression(c_ast.FuncCall(c_ast.ID(name, node.coord), arguments, node.coord))


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
