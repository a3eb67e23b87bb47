"""Structured bindings: `auto [a, b] = e;`, and `for (auto &[a, b] : range)`.

In: a StructuredBinding node and the place of what it takes apart. Out: the names in the scope, each
for a data member: of a copy, or with `&` of the object itself, so that what is stored through a
name is stored there; of an array each for an element. Not handled: classes that are taken apart by
`get<I>`; their parts are values that are not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import MemoryPlace, Slot, ValuePlace, VariablePlace

if TYPE_CHECKING:
    from ..model.scope import Place
    from ..state.context import Context


def bind(context: Context, node: Any, whole: Place) -> None:
    """Declare the names of a structured binding: `auto [a, b] = e;`."""
    by_reference = bool(node.reference) and isinstance(whole, MemoryPlace)
    element = whole.type.element if whole.type.form is Form.ARRAY else None
    taken = whole if by_reference or element is not None else ValuePlace(context.read(whole))
    members = taken.type.members
    for index, name in enumerate(node.names):
        known = index < len(members) and members[index].offset is not None
        part = context.member(taken, members[index].name) if known else None
        if element is not None and isinstance(whole, MemoryPlace):
            address = context.offset(whole.address, context.constant(index), element)
            part = MemoryPlace(address, element)
        if by_reference and part is not None:
            context.scope.names[name] = part
            continue
        held = context.unknown(ctypes.unknown("auto"), "a structured binding")
        if part is not None:
            held = context.read(part)
        slot = Slot(name)
        context.builder.write(slot, held.value)
        context.scope.names[name] = VariablePlace(slot, held.type)
