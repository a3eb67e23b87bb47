"""cuRAND's device functions: each number that is drawn changes the state that it is drawn from.

In: `curand_uniform(&states[i])` and its kin with the places of their arguments. Out: the number,
which is not known, and the accesses: a word of the state is read and written back, since two
threads that draw from one state get the same numbers and spoil it (cuRAND, "Device API Overview").
An MTGP32 generator belongs to a block, whose threads may draw from it at once: that is an atomic
operation of block scope. How a state is laid out is the header's own affair: only one word of it is
spoken of.
Not handled: states of types that templates leave open, Sobol directions, skipping ahead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operation_kinds import MemoryOrder
from ....ir.operations import AccessKind, MemoryAccess
from ...names.libraries import GENERATORS, GENERATORS_OF_BLOCKS
from ..model import builtin_types, ctypes
from ..model.scope import LibraryClass

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.ctypes import CType
    from ..model.scope import Place, Typed
    from ..state.context import Context

_DRAWN = re.compile(r"curand(?:_(uniform|normal|log_normal|poisson))?([24])?(_double)?$")


def draw(context: Context, name: str, places: list[Place]) -> Typed | None:
    """The value of a call of cuRAND's; None for any other name, and for states of other types."""
    found = _DRAWN.match(name)
    if found is not None and places:
        state = _state(context, places[0])
        if state is None:
            return None
        _change(context, state)
        return context.unknown(_type(*found.groups()), "a random number")
    if name == "curand_init" and len(places) == 4:
        state = _state(context, places[3])
        if state is None:
            return None
        made = context.pure("curand_init", [context.read(p).value for p in places[:3]], ctypes.UINT)
        _access(context, AccessKind.STORE, None, state.value, made.value)
        return context.nothing()
    return None


def _state(context: Context, place: Place) -> Typed | None:
    """The pointer to a generator's state."""
    element = place.type.element
    if element is None or _generator(element) is None:
        return None
    return context.read(place)


def _generator(type: CType) -> str | None:
    """The name of cuRAND's that a type has; None for other types."""
    origin = type.origin
    name = origin.name if isinstance(origin, LibraryClass) else None
    return name if name in GENERATORS or name in GENERATORS_OF_BLOCKS else None


def _change(context: Context, state: Typed) -> None:
    """The next number is taken out of a state."""
    assert state.type.element is not None
    if _generator(state.type.element) in GENERATORS_OF_BLOCKS:
        context.builder.emit(
            MemoryAccess(
                AccessKind.ATOMIC,
                ir.UINT32,
                [state.value, context.builder.constant(1, ir.UINT32)],
                context.builder.location,
                width=4,
                element=ir.UINT32,
                atomic="add",
                scope="block",
                order=MemoryOrder.RELAXED,
                name=context.builder.location.span.excerpt,
            )
        )
        return
    before = _access(context, AccessKind.LOAD, 4, state.value)
    after = context.pure("curand", [before], ctypes.UINT)
    _access(context, AccessKind.STORE, 4, state.value, after.value)


def _access(
    context: Context, kind: AccessKind, width: int | None, address: Value, *stored: Value
) -> Value:
    access = MemoryAccess(
        kind,
        ir.UINT32 if kind is AccessKind.LOAD else ir.VOID,
        [address, *stored],
        context.builder.location,
        width=width,
        element=ir.UINT32,
        name=context.builder.location.span.excerpt,
    )
    return context.builder.emit(access)


def _type(distribution: str | None, count: str | None, double: str | None) -> CType:
    """`curand` gives whole numbers, `curand_normal2_double` a `double2`."""
    whole = distribution in (None, "poisson")
    scalar = "uint" if whole else "double" if double else "float"
    if count is not None:
        return builtin_types.BUILTIN[f"{scalar}{count}"]
    return {"uint": ctypes.UINT, "double": ctypes.DOUBLE, "float": ctypes.FLOAT}[scalar]
