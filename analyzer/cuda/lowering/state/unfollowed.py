"""References that are not followed: `element<0>(v) = x`, `(c ? a : b) += 1`.

In: the places that such a reference may lead to, and what is done through it. Out: none of them is
known any more, as far as they are in registers; memory is for those who read the operation that
says so. Not handled: what the reference reads as once a place is changed by its own name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import Parameter
from ..model.ctypes import Form
from ..model.scope import ClassPlace, Slot, UnfollowedPlace, ValuePlace, root_of

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.scope import Place, Typed
    from .context import Context

_NUMBERS = (Form.BOOL, Form.INTEGER, Form.FLOAT)


def returned(context: Context, value: Typed, places: list[Place]) -> ValuePlace:
    """What a call that is not looked into returned: it may be a reference into an argument.

    A number beside an object or a pointer is an index: no reference leads to it.
    """
    whole = [place for place in places if place.type.form not in _NUMBERS]
    among = tuple(place for place in whole or places if _may_change(context, place))
    return UnfollowedPlace(value, among, elsewhere=True) if among else ValuePlace(value)


def _may_change(context: Context, place: Place) -> bool:
    if place.type.const or place.type.form is Form.POINTER or is_view(context, root_of(place)):
        return False
    return isinstance(place, UnfollowedPlace) or not isinstance(place, ValuePlace)


def is_view(context: Context, root: Place) -> bool:
    """Whether a place is a parameter of unknown type: a view of memory, most likely."""
    if root.type.form is not Form.UNKNOWN:
        return False
    sources = context.builder.sources(context.read(root).value)
    return any(isinstance(each, Parameter) for each in sources)


def one_of(context: Context, value: Typed, places: tuple[Place, ...]) -> ValuePlace:
    """What a reference to one of several places leads to; `value` is what it holds now."""
    if all(type(place) is ValuePlace for place in places):
        return ValuePlace(value)
    elsewhere = any(context.is_in_memory(root_of(place)) for place in places)
    return UnfollowedPlace(value, places, elsewhere)


def named(context: Context, place: UnfollowedPlace, name: str) -> UnfollowedPlace:
    """A reference that is not followed, behind a name by which it may be read once written."""
    slot = Slot(name)
    context.builder.write(slot, context.read(place).value)
    return UnfollowedPlace(place.value, place.among, place.elsewhere, slot)


def assign(context: Context, place: UnfollowedPlace, stored: Value) -> None:
    """Write something through a reference that is not followed."""
    if place.elsewhere:
        context.opaque("assignment to something that is not a variable", [stored])
    forget(context, place)
    if place.slot is not None:
        context.builder.write(place.slot, stored)


def forget(context: Context, place: Place) -> None:
    """What lies in registers of the places that a reference may lead to is not known any more."""
    root = root_of(place)
    if isinstance(root, UnfollowedPlace):
        for each in root.among:
            forget(context, each)
    elif isinstance(place, ClassPlace):
        for part in place.parts:
            forget(context, part)
    elif not isinstance(root, ValuePlace) and not context.is_in_memory(root):
        reason = "may be assigned through a reference"
        context.put(place, context.unknown(place.type, reason))
