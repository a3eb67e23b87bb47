"""Built-in binary operators on two values: conversions, pointer arithmetic, comparison.

In: an operator and two values. Out: the value; an overloaded operator of a class becomes a call.
The usual arithmetic conversions are applied; pointer arithmetic is in bytes. A symbol whose type is
not known (`Traits::WIDTH`, `TILE` of a header that was not found, `dim.stride`) is a number beside
an integer, where no pointer can be meant; it is read as 64 bits wide, so that no overflow is made
up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operation_kinds import Function
from ....ir.operations import Convert, Opcode, Pure
from ....ir.values import Parameter, Unknown
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import Typed
from . import conversions, overloads

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..state.context import Context

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
_POINTERS_TOO = ("+", "-", "==", "!=")
COMPARE = {
    "==": Opcode.EQ,
    "!=": Opcode.NE,
    "<": Opcode.LT,
    "<=": Opcode.LE,
    ">": Opcode.GT,
    ">=": Opcode.GE,
}


def combined(context: Context, inputs: list[Typed]) -> Typed:
    """An operator's value that depends on its operands in a way not known, and on nothing else."""
    constants = all(item.type.name == ctypes.CONSTANT.name for item in inputs)
    type = ctypes.CONSTANT if constants else ctypes.unknown("auto")
    return context.pure(Function.COMBINED, [item.value for item in inputs], type)


def _beside_integer(
    context: Context, op: str, left: Typed, right: Typed
) -> tuple[Typed, Typed] | None:
    """The operands where one is an integer and the other a symbol that must be a number too."""
    sides = (left, right)
    known = [side for side in sides if side.type.form in (Form.INTEGER, Form.BOOL)]
    untyped = [side for side in sides if side.type.form is Form.UNKNOWN]
    symbols = [side for side in untyped if _is_symbol(side.value)]
    if len(known) != 1 or len(symbols) != 1:
        return None
    if op in _POINTERS_TOO and symbols[0].type.name != ctypes.CONSTANT.name:
        return None
    location = context.builder.location

    def number(side: Typed) -> Typed:
        if side is not symbols[0]:
            return side
        wide = Convert(ir.INT64, side.value, location, side.value.type)
        return Typed(context.builder.emit(wide), ctypes.LONG)

    return number(left), number(right)


def _is_symbol(value: Value) -> bool:
    """Whether a value is the same for the whole grid by what it is: a constant, a parameter."""
    while isinstance(value, Pure) and value.function is Function.PART and len(value.operands) == 1:
        value = value.operands[0]
    if isinstance(value, Pure) and value.function is Function.COMBINED:
        return all(isinstance(item, Unknown) and not item.per_thread for item in value.operands)
    return isinstance(value, Parameter) or (isinstance(value, Unknown) and not value.per_thread)


def operate(context: Context, op: str, left: Typed, right: Typed) -> Typed:
    """The value of a built-in binary operator; an overloaded one becomes a call."""
    if Form.CLASS in (left.type.form, right.type.form):
        found = overloads.written(context, op, [left, right])
        if found is not None:
            return found
        numbers = conversions.replaced(context, [left, right])
        if numbers is not None:
            return operate(context, op, *numbers)
        return overloads.unseen(context, op, [left, right])
    left, right = _decayed(context, left), _decayed(context, right)
    if Form.POINTER in (left.type.form, right.type.form):
        return _pointer_operation(context, op, left, right)
    if Form.UNKNOWN in (left.type.form, right.type.form):
        number = _beside_integer(context, op, left, right)
        if number is None:
            result = combined(context, [left, right])
            return Typed(result.value, ctypes.BOOL) if op in COMPARE else result
        left, right = number
    shift = op in ("<<", ">>")
    common = ctypes.promoted(left.type) if shift else ctypes.arithmetic(left.type, right.type)
    a = context.convert(left, common)
    b = context.convert(right, ctypes.INT if shift else common)
    if op in COMPARE:
        value = context.builder.compare(COMPARE[op], common.ir(), a.value, b.value)
        return Typed(value, ctypes.BOOL)
    if op not in _ARITHMETIC:
        return combined(context, [left, right])
    return Typed(context.builder.compute(_ARITHMETIC[op], common.ir(), a.value, b.value), common)


def _decayed(context: Context, value: Typed) -> Typed:
    if value.type.form is Form.ARRAY and value.type.element is not None:
        return Typed(value.value, ctypes.pointer_to(value.type.element))
    return value


def _pointer_operation(context: Context, op: str, left: Typed, right: Typed) -> Typed:
    if op in COMPARE:
        value = context.builder.compare(COMPARE[op], ir.POINTER, left.value, right.value)
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
