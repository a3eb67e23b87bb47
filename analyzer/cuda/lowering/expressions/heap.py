"""`new` and `delete` in device code: memory of the heap of the device.

In: the expression. Out: a call that takes the bytes of numbers, pointers or vectors, or one that
gives them back, and the store of the number that they begin with. Not handled: classes, whose
constructors and destructors run, and a place that is given: those may do anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operations import Opcode
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import MemoryPlace, Typed

if TYPE_CHECKING:
    from ...syntax import nodes
    from ..model.ctypes import CType
    from ..state.context import Context


def new(context: Context, node: nodes.New) -> Typed:
    """The pointer that `new T`, `new T(value)`, `new T[count]` gives in device code."""
    element = context.reader.read(node.type, context.scope)
    given = list(node.arguments)
    begins = given and (node.count is not None or not element.is_scalar or len(given) > 1)
    if node.place or begins or not _is_plain(element):
        return _unsupported(context, "new")
    size = context.size_of(element)
    if node.count is not None:
        count = context.convert(context.expression(node.count), ctypes.LONG).value
        size = context.builder.compute(Opcode.MUL, ir.INT64, count, size)
    bytes = Typed(size, ctypes.ULONG)
    type = ctypes.pointer_to(element)
    made = context.call("new", type, [bytes], "memory of the device's heap")
    if given:
        value = context.convert(context.expression(given[0]), element)
        context.write(MemoryPlace(made.value, element), value)
    return made


def delete(context: Context, node: nodes.Delete) -> Typed:
    """Lower `delete p`, `delete[] p` in device code."""
    pointer = context.expression(node.expression)
    element = pointer.type.element
    if element is None or not _is_plain(element):
        return _unsupported(context, "delete")
    return context.call("delete", ctypes.VOID, [pointer], "memory of the device's heap")


def _is_plain(type: CType) -> bool:
    """Whether nothing is executed for an object of a type: a number, a pointer, a vector."""
    built_in = type.form is Form.CLASS and type.origin is None and bool(type.members)
    return type.is_scalar or built_in


def _unsupported(context: Context, word: str) -> Typed:
    context.opaque(f"{word} of a class in device code")
    return context.unknown(ctypes.unknown("auto"), f"{word} of a class in device code")
