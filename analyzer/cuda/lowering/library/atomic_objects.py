"""`cuda::atomic`, `cuda::atomic_ref`, `std::atomic`: each operation is one access with a scope.

In: types by name with their template arguments, places of such types. Out: loads, stores and atomic
operations as the intrinsics have them, with the scope of the type and the memory order in the name.
An object reads as its value, as its conversion operator has it. Follows libcu++, "Extended API",
cuda::atomic and cuda::atomic_ref: the scope is the system unless one is given.
Not handled: `wait`, which is a call that is not read; an order that is no name in the call counts
as the strongest one, a scope that is not known as the widest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.operations import AccessKind, Fence, MemoryAccess, Opcode
from ...syntax import nodes
from ...syntax.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import CType, Form, Member
from ..model.scope import AtomicClass, MemoryPlace, Typed, ValuePlace

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.scope import Place
    from ..state.context import Context

_SCOPE = re.compile(r"thread_scope(?:_|::)(block|device|system|thread)\b")
_ORDER = re.compile(r"memory_order(?:_|::)(relaxed|consume|acquire|release|acq_rel|seq_cst)\b")
_STRONGEST = "seq_cst"
_WIDEST = "system"
_NAMES = frozenset(("atomic", "atomic_ref"))
_FETCHING = {f"fetch_{name}": name for name in ("add", "sub", "and", "or", "xor", "min", "max")}
_ASSIGNING = {"+": "add", "-": "sub", "&": "and", "|": "or", "^": "xor"}


def atomic_type(name: str, value: CType, arguments: list[Any]) -> CType | None:
    """The type `atomic<T, scope>` or `atomic_ref<T, scope>`; None for other names."""
    if name not in _NAMES or not arguments:
        return None
    found = _SCOPE.fullmatch(_last_name(arguments[1])) if arguments[1:] else None
    return _type(name, value, _WIDEST if found is None else found[1])


def _last_name(argument: Any) -> str:
    """The name at the end of `cuda::thread_scope_block`."""
    while isinstance(argument, c_ast.Typename | c_ast.TypeDecl | nodes.NamedType):
        argument = argument.name if isinstance(argument, nodes.NamedType) else argument.type
    parts = argument.parts if isinstance(argument, nodes.QualifiedName) else [argument]
    return str(getattr(parts[-1], "name", ""))


def _type(name: str, value: CType, scope: str) -> CType:
    scope = "block" if scope == "thread" else scope  # no wider than that
    origin = AtomicClass(value, scope, refers=name == "atomic_ref")
    spelt = f"{name}<{value.name}, {scope}>"
    if origin.refers:
        members = (Member("object", ctypes.pointer_to(value), 0),)
        return CType(Form.CLASS, spelt, 8, 8, members=members, origin=origin)
    return CType(Form.CLASS, spelt, value.size, value.alignment, origin=origin)


def is_atomic(type: CType) -> bool:
    """Whether a type is atomic, or refers to something that is used atomically."""
    return isinstance(type.origin, AtomicClass)


def is_object(type: CType) -> bool:
    """Whether a type is atomic itself."""
    return isinstance(type.origin, AtomicClass) and not type.origin.refers


def refers(type: CType) -> bool:
    """Whether a type refers to an object of a known type."""
    return isinstance(type.origin, AtomicClass) and type.origin.refers


def is_reference(type: CType) -> bool:
    """Whether a type refers to an object; `atomic_ref` without arguments takes them from it."""
    return refers(type) or (type.form is Form.UNKNOWN and type.name == "atomic_ref")


def refer(context: Context, type: CType, object: Place) -> Typed:
    """An `atomic_ref` made from what it refers to."""
    if object.type.name == type.name and is_atomic(type):
        return context.read(object)
    if not isinstance(type.origin, AtomicClass):
        type = _type("atomic_ref", object.type, _WIDEST)
    return context.aggregate(type, [context.address(object)])


def value_of(context: Context, held: Typed) -> Typed:
    """What the object behind an `atomic_ref` holds: its conversion to a value."""
    return _Access(context, ValuePlace(held)).load()


def read(context: Context, place: MemoryPlace) -> Typed:
    """What an atomic object holds."""
    return _Access(context, place).load()


def assigned(context: Context, place: Place, op: str, value: Typed) -> Typed:
    """`object = value`, `object += value`: the new value, as these operators return it."""
    access = _Access(context, place)
    if not op:
        access.store(value)
        return context.convert(value, access.kind.value)
    old = access.change(_ASSIGNING.get(op, op), [value])
    return _computed(context, op, old, value)


def stepped(context: Context, place: Place, op: str) -> Typed:
    """`object++` and its sisters: the old value or the new one."""
    one = context.constant(1)
    old = _Access(context, place).change("add" if "+" in op else "sub", [one])
    return old if op.startswith("p") else _computed(context, op[-1], old, one)


def _computed(context: Context, op: str, old: Typed, value: Typed) -> Typed:
    from ..operators.operators import operate

    return operate(context, op, old, value)


def method(context: Context, base: Place, name: str, places: list[Place]) -> Typed | None:
    """A method of an atomic object; None for those that are not modelled."""
    if not is_atomic(base.type):
        return None
    access = _Access(context, base)
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


def fence(context: Context, name: str) -> Typed:
    """`atomic_thread_fence(order, scope)`."""
    text = context.builder.location.span.text
    scope = _SCOPE.search(text)
    reached = _WIDEST if scope is None else scope[1]
    context.builder.emit(Fence(f"{name}.{_order(text)}", reached, context.builder.location))
    return context.nothing()


def _order(text: str) -> str:
    found = _ORDER.search(text)
    return _STRONGEST if found is None else found[1]


class _Access:
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
            name=f"{operation or kind.value}.{_order(location.span.text)}",
        )
        return Typed(context.builder.emit(access), type)
