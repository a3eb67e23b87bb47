"""Atomic operations of the compiler: `__nv_atomic_fetch_add(&x, 1, order, scope)` and its sisters.

In: a call's name and the places of its arguments. Out: one access with its order and scope, or a
fence. Follows the CUDA C++ Programming Guide, "Built-in Atomic Functions": names that end in `_n`
take and return values, the others pass them by pointers. An order or a scope that is no constant
counts as the strongest, or the widest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operation_kinds import AccessKind, MemoryOrder
from ....ir.operations import Fence, MemoryAccess, Opcode
from ....ir.values import whole_number
from ...names.libraries import NV_SCOPES
from ..model import ctypes
from ..model.scope import Typed
from ..state.atomic_accesses import order_of
from ..types.atomic_types import WIDEST

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context

_NAME = re.compile(
    r"__nv_atomic_(?:(load|store|exchange|compare_exchange)(_n)?"
    r"|(fetch_)?(add|sub|and|or|xor|min|max)|(thread_fence))$"
)
#: How many arguments stand before the memory order.
_BEFORE_ORDER = {
    ("load", True): 1, ("load", False): 2, ("store", True): 2, ("store", False): 2,
    ("exchange", True): 2, ("exchange", False): 3,
    ("compare_exchange", True): 4, ("compare_exchange", False): 4,
}  # fmt: skip


def lower(context: Context, name: str, places: list[Place]) -> Typed | None:
    """The value of a call such as `__nv_atomic_fetch_add(...)`; None for any other."""
    match = _NAME.match(name)
    if match is None:
        return None
    values = [context.read(place) for place in places]
    if match[5]:
        order, scope = _said(values, 0)
        where = context.builder.location
        context.builder.emit(Fence(f"{name}.{order.value}", scope, where))
        return context.nothing()
    element = values[0].type.element if values else None
    if element is None:
        return None
    by_value = bool(match[2])
    count = _BEFORE_ORDER[match[1], by_value] if match[1] else 2
    if len(values) < count:
        return None
    call = _Call(context, name, values, element, count)
    if match[4]:
        return call.change(match[4], values[1])
    if match[1] == "load":
        return call.returned(call.emit(AccessKind.LOAD, ""), None if by_value else values[1])
    given = values[1] if by_value else call.behind(values[1])
    if match[1] == "store":
        call.emit(AccessKind.STORE, "", given)
        return context.nothing()
    if match[1] == "exchange":
        return call.returned(call.change("exch", given), None if by_value else values[2])
    expected = call.behind(values[1])
    wanted = values[2] if by_value else call.behind(values[2])
    found = call.change("cas", expected, wanted)
    equal = context.builder.compare(Opcode.EQ, element.ir(), found.value, expected.value)
    context.write(context.pointed_at(values[1]), found)
    return Typed(equal, ctypes.BOOL)


def _said(values: list[Typed], before: int) -> tuple[MemoryOrder, str]:
    """The order that stands behind so many arguments, and the scope, which is the last one."""
    numbers = [whole_number(value.value) for value in values[before:]]
    order = numbers[0] if numbers else None
    scope = numbers[-1] if len(numbers) > 1 else None
    return order_of(order), WIDEST if scope is None else NV_SCOPES.get(scope, WIDEST)


class _Call:
    """One operation on the object that the first argument points to."""

    def __init__(
        self, context: Context, name: str, values: list[Typed], element: CType, before: int
    ) -> None:
        self._context = context
        self._name = name
        self._address = values[0].value
        self._element = element
        self._order, self._scope = _said(values, before)

    def behind(self, pointer: Typed) -> Typed:
        """What a pointer leads to."""
        return self._context.read(self._context.pointed_at(pointer))

    def change(self, operation: str, *operands: Typed) -> Typed:
        """The old value."""
        return self.emit(AccessKind.ATOMIC, operation, *operands)

    def emit(self, kind: AccessKind, operation: str, *operands: Typed) -> Typed:
        """One access."""
        context, type = self._context, self._element
        held = [context.convert(operand, type).value for operand in operands]
        access = MemoryAccess(
            kind,
            ir.VOID if kind is AccessKind.STORE else type.ir(),
            [self._address, *held],
            context.builder.location,
            width=type.size,
            element=type.ir(),
            atomic=operation,
            scope=self._scope,
            order=self._order,
            name=self._name,
        )
        return Typed(context.builder.emit(access), type)

    def returned(self, value: Typed, pointer: Typed | None) -> Typed:
        """A value, handed back as such or behind a pointer."""
        if pointer is None:
            return value
        self._context.write(self._context.pointed_at(pointer), value)
        return self._context.nothing()
