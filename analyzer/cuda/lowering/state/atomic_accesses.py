"""Operations on atomic objects: each is one access with a scope and a memory order.

In: the place of an atomic object, or of an `atomic_ref` to one. Out: loads, stores and atomic
operations. An object reads as its value, as its conversion operator has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operation_kinds import MemoryOrder
from ....ir.operations import AccessKind, MemoryAccess
from ...names.libraries import LIBRARY_ENUMS
from ..model.scope import AtomicClass, MemoryPlace, Typed, ValuePlace

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.scope import Place
    from .context import Context


STRONGEST = MemoryOrder.SEQUENTIAL  # what a call without an order has
_ORDERS = {
    number: MemoryOrder.ACQUIRE if name == "consume" else MemoryOrder(name)
    for name, number in LIBRARY_ENUMS["memory_order"].items()
}


def order_of(number: int | None) -> MemoryOrder:
    """The order in the IR of an enumerator of `memory_order`; the strongest if it is not known."""
    return STRONGEST if number is None else _ORDERS.get(number, STRONGEST)


def value_of(context: Context, held: Typed) -> Typed:
    """What the object behind an `atomic_ref` holds: its conversion to a value."""
    return AtomicAccess(context, ValuePlace(held)).load()


def read(context: Context, place: MemoryPlace) -> Typed:
    """The value that an atomic object holds: an atomic load."""
    return AtomicAccess(context, place).load()


class AtomicAccess:
    """Emits IR for operations on one atomic object, each as one access."""

    def __init__(self, context: Context, place: Place, order: MemoryOrder = STRONGEST) -> None:
        assert isinstance(place.type.origin, AtomicClass)
        self.kind = place.type.origin
        self._order = order
        self._context = context
        self._address = self._find(place)

    def _find(self, place: Place) -> Value:
        context = self._context
        if self.kind.refers:
            return context.read(context.member(place, "object")).value
        return context.address(place).value

    def load(self) -> Typed:
        """Its value."""
        return self._emit(AccessKind.LOAD, "", [])

    def store(self, value: Typed) -> None:
        """A new value."""
        self._emit(AccessKind.STORE, "", [value])

    def change(self, operation: str, operands: list[Typed]) -> Typed:
        """A new value made from the old one, which is returned."""
        return self._emit(AccessKind.ATOMIC, operation, operands)

    def _emit(self, kind: AccessKind, operation: str, operands: list[Typed]) -> Typed:
        context, type = self._context, self.kind.value
        held = [context.convert(operand, type).value for operand in operands]
        location = context.builder.location
        access = MemoryAccess(
            kind,
            ir.VOID if kind is AccessKind.STORE else type.ir(),
            [self._address, *held],
            location,
            width=type.size,
            element=type.ir(),
            atomic=operation,
            scope=self.kind.scope,
            order=self._order,
            name=f"{operation or kind.value}.{self._order.value}",
        )
        return Typed(context.builder.emit(access), type)
