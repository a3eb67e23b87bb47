"""Operations on atomic objects: each is one access with a scope and a memory order.

In: the place of an atomic object, or of an `atomic_ref` to one. Out: loads, stores and atomic
operations. An object reads as its value, as its conversion operator has it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operations import AccessKind, MemoryAccess
from ..model.scope import AtomicClass, MemoryPlace, Typed, ValuePlace

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.scope import Place
    from .context import Context


_ORDER = re.compile(r"memory_order(?:_|::)(relaxed|consume|acquire|release|acq_rel|seq_cst)\b")


_STRONGEST = "seq_cst"


def value_of(context: Context, held: Typed) -> Typed:
    """What the object behind an `atomic_ref` holds: its conversion to a value."""
    return AtomicAccess(context, ValuePlace(held)).load()


def read(context: Context, place: MemoryPlace) -> Typed:
    """What an atomic object holds."""
    return AtomicAccess(context, place).load()


def memory_order(text: str) -> str:
    """The memory order that a call names; the strongest one where it names none."""
    found = _ORDER.search(text)
    return _STRONGEST if found is None else found[1]


class AtomicAccess:
    """One operation on one atomic object."""

    def __init__(self, context: Context, place: Place) -> None:
        assert isinstance(place.type.origin, AtomicClass)
        self.kind = place.type.origin
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
            name=f"{operation or kind.value}.{memory_order(location.span.text)}",
        )
        return Typed(context.builder.emit(access), type)
