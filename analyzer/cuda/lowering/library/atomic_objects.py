"""`cuda::atomic`, `cuda::atomic_ref`, `std::atomic`: each operation is one access with a scope.

In: methods, operators and places of atomic types. Out: loads, stores and atomic operations as the
intrinsics have them, with the scope of the type. Follows libcu++, "Extended API", cuda::atomic and
cuda::atomic_ref: the scope is the system unless one is given.
Not handled: `wait`, which is a call that is not read; an order that is no constant counts as the
strongest one, a scope that is none as the widest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Fence, Opcode
from ....ir.values import whole_number
from ..model import ctypes
from ..model.scope import AtomicClass, Typed, ValuePlace
from ..operators.operators import operate
from ..state.atomic_accesses import AtomicAccess, order_of
from ..types.atomic_types import WIDEST, atomic_class, is_atomic, scope_of

if TYPE_CHECKING:
    from ....ir.operation_kinds import MemoryOrder
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context

_FETCHING = {f"fetch_{name}": name for name in ("add", "sub", "and", "or", "xor", "min", "max")}
_ASSIGNING = {"+": "add", "-": "sub", "&": "and", "|": "or", "^": "xor"}


def refer(context: Context, type: CType, object: Place) -> Typed:
    """An `atomic_ref` made from what it refers to."""
    if object.type.name == type.name and is_atomic(type):
        return context.read(object)
    if not isinstance(type.origin, AtomicClass):
        type = atomic_class("atomic_ref", object.type, WIDEST)
    return context.aggregate(type, [context.address(object)])


def assigned(context: Context, place: Place, op: str, value: Typed) -> Typed:
    """Lower `object = value`, `object += value` of an atomic object; the new value is returned."""
    access = AtomicAccess(context, place)
    if not op:
        access.store(value)
        return context.convert(value, access.kind.value)
    old = access.change(_ASSIGNING.get(op, op), [value])
    return operate(context, op, old, value)


def stepped(context: Context, place: Place, op: str) -> Typed:
    """Lower `object++` and its sisters of an atomic object: the old value or the new one."""
    one = context.constant(1)
    old = AtomicAccess(context, place).change("add" if "+" in op else "sub", [one])
    return old if op.startswith("p") else operate(context, op[-1], old, one)


def method(context: Context, base: Place, name: str, places: list[Place]) -> Typed | None:
    """A method of an atomic object; None for those that are not modelled."""
    if not is_atomic(base.type):
        return None
    access = AtomicAccess(context, base, _order(context, places[_BEFORE_ORDER.get(name, 1) :]))
    if name == "load":
        return access.load()
    if name.startswith("notify_"):
        return context.nothing()
    if name in ("store", "exchange", *_FETCHING) and places:
        value = context.read(places[0])
        if name == "store":
            access.store(value)
            return context.nothing()
        return access.change(_FETCHING.get(name, "exch"), [value])
    if name.startswith("compare_exchange_") and len(places) > 1:
        expected = context.convert(context.read(places[0]), access.kind.value)
        found = access.change("cas", [expected, context.read(places[1])])
        equal = context.builder.compare(
            Opcode.EQ, access.kind.value.ir(), found.value, expected.value
        )
        if not isinstance(places[0], ValuePlace):
            context.write(places[0], found)
        return Typed(equal, ctypes.BOOL)
    if name == "is_lock_free":
        return context.constant(1, ctypes.BOOL)
    return None


def fence(context: Context, name: str, places: list[Place]) -> Typed:
    """`atomic_thread_fence(order, scope)`."""
    number = whole_number(context.read(places[1]).value) if places[1:] else None
    named = f"{name}.{_order(context, places).value}"
    context.builder.emit(Fence(named, scope_of(number), context.builder.location))
    return context.nothing()


#: How many arguments stand before the memory order.
_BEFORE_ORDER = {"load": 0, "compare_exchange_weak": 2, "compare_exchange_strong": 2}


def _order(context: Context, places: list[Place]) -> MemoryOrder:
    """The memory order that the first of these is."""
    return order_of(whole_number(context.read(places[0]).value) if places else None)
