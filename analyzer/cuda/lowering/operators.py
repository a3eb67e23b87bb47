"""Built-in binary operators on two values: conversions, pointer arithmetic, comparison.

In: an operator and two values. Out: the value; an overloaded operator of a class becomes a call.
The usual arithmetic conversions are applied; pointer arithmetic is in bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir import types as ir
from ...ir.operations import Opcode
from . import calls, ctypes
from .ctypes import Form
from .scope import Typed

if TYPE_CHECKING:
    from .context import Context

_ARITHMETIC = {
    "+": Opcode.ADD,
    "-": Opcode.SUB,
    "*": Opcode.MUL,
    "/": Opcode.DIV,
    "%": Opcode.REM,
    "&": Opcode.AND,
    "|": Opcode.OR,
    "^": Opcode.XOR,
    "<<": Opcode.SHL,
    ">>": Opcode.SHR,
}
_COMPARE = {
    "==": Opcode.EQ,
    "!=": Opcode.NE,
    "<": Opcode.LT,
    "<=": Opcode.LE,
    ">": Opcode.GT,
    ">=": Opcode.GE,
}


def combined(context: Context, inputs: list[Typed]) -> Typed:
    """A value that depends on the inputs in a way not known, and on nothing else."""
    return context.pure("unknown", [item.value for item in inputs], ctypes.unknown("auto"))


def operate(context: Context, op: str, left: Typed, right: Typed) -> Typed:
    """A built-in binary operator on two values; an overloaded one becomes a call."""
    if Form.CLASS in (left.type.form, right.type.form):
        return calls.operator(context, op, [left, right])
    left, right = _decayed(context, left), _decayed(context, right)
    if Form.POINTER in (left.type.form, right.type.form):
        return _pointer_operation(context, op, left, right)
    if Form.UNKNOWN in (left.type.form, right.type.form):
        result = combined(context, [left, right])
        return Typed(result.value, ctypes.BOOL) if op in _COMPARE else result
    shift = op in ("<<", ">>")
    common = ctypes.promoted(left.type) if shift else ctypes.arithmetic(left.type, right.type)
    a = context.convert(left, common)
    b = context.convert(right, ctypes.INT if shift else common)
    if op in _COMPARE:
        value = context.builder.compare(_COMPARE[op], common.ir(), a.value, b.value)
        return Typed(value, ctypes.BOOL)
    if op not in _ARITHMETIC:
        return combined(context, [left, right])
    return Typed(context.builder.compute(_ARITHMETIC[op], common.ir(), a.value, b.value), common)


def _decayed(context: Context, value: Typed) -> Typed:
    if value.type.form is Form.ARRAY and value.type.element is not None:
        return Typed(value.value, ctypes.pointer_to(value.type.element))
    return value


def _pointer_operation(context: Context, op: str, left: Typed, right: Typed) -> Typed:
    if op in _COMPARE:
        value = context.builder.compare(_COMPARE[op], ir.POINTER, left.value, right.value)
        return Typed(value, ctypes.BOOL)
    if op == "+" and right.type.form is Form.POINTER:
        left, right = right, left
    element = left.type.element or ctypes.CHAR
    if op == "-" and right.type.form is Form.POINTER and left.type.form is Form.POINTER:
        distance = context.builder.compute(Opcode.SUB, ir.INT64, left.value, right.value)
        size = context.size_of(element)
        return Typed(context.builder.compute(Opcode.DIV, ir.INT64, distance, size), ctypes.LONG)
    if op == "-":
        right = context.convert(right, ctypes.LONG)
        negated = context.builder.compute(Opcode.NEG, ir.INT64, right.value)
        right = Typed(negated, ctypes.LONG)
    elif op != "+":
        return combined(context, [left, right])
    return Typed(context.offset(left.value, right, element), left.type)
