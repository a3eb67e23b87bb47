"""Calls that are not looked into, and what of the variables is not known behind them.

In: a call whose function or method is not seen, with its arguments. Out: its value, unknown. What
is called for no value is called for a change: then its object, or an argument that is a class, is
not known any more, as far as it is held in registers; memory is for those who read the call. Not
handled: a number that an unseen function takes by reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import ctypes
from ..model.scope import ClassPlace, ClassScope, MemoryPlace, Typed, VariablePlace
from ..state import unfollowed
from ..state.inlining_limits import used_up

if TYPE_CHECKING:
    from ..model.scope import Place
    from ..state.context import Context


def unseen_method(
    context: Context, node: Any, name: str, base: Place, places: list[Place]
) -> Place:
    """The value of a method of an object whose class does not show it."""
    values = [handed(context, place) for place in places]
    if isinstance(base, MemoryPlace):
        values.insert(0, Typed(base.address, ctypes.pointer_to(base.type)))
    name, reason = f"{base.type.name}::{name}", f"method of the unknown type {base.type.name}"
    result = context.call(name, ctypes.unknown("auto"), values, reason)
    if context.dropped is node:
        _change(context, base, f"{name} may change it")
    return unfollowed.returned(context, result, [base, *places])


def unseen_function(context: Context, node: Any, name: str, places: list[Place]) -> Place:
    """The value of a function that this file does not define."""
    values = [handed(context, place) for place in places]
    reason = "its definition is not in this file"
    if context.program.is_defined(name):  # none of its many overloads was chosen
        reason = used_up(context) or reason
    result = context.call(name, ctypes.unknown("auto"), values, reason)
    for place in places if context.dropped is node else ():
        if isinstance(place, ClassPlace):
            _change(context, place, f"{name} may change it")
    return unfollowed.returned(context, result, places)


def handed(context: Context, place: Place) -> Typed:
    """What an unseen function gets for an argument: of an object of the file's classes, which it
    may take by reference, the address; nothing of it is read here for sure.
    """
    if isinstance(place, MemoryPlace) and isinstance(place.type.origin, ClassScope):
        return Typed(place.address, ctypes.pointer_to(place.type))
    return context.read(place)


def _change(context: Context, place: Place, reason: str) -> None:
    """A variable that is not known any more."""
    if place.type.const:
        return
    if isinstance(place, ClassPlace):
        for part in place.parts:
            _change(context, part, reason)
    elif isinstance(place, VariablePlace):
        context.write(place, context.unknown(place.type, reason))
