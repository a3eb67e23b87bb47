"""How far the array reaches that an address leads into, where it is a member of a class.

In: an object whose elements are of such a class, and an address in it. Out: from which byte of an
element to which the array goes. An index that leaves it is not one that the source means: C++ gives
it no meaning, whatever lies behind. Not handled: PTX, which has no members, and members that are no
arrays (`(&v.x)[i]` is written for all of them).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...ir.values import UnknownDistance, whole_number
from .pointer_chain import pointers_of

if TYPE_CHECKING:
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from .points_to import PointsTo


def member_bounds(
    item: MemoryObject, address: Value, points_to: PointsTo
) -> tuple[int, int] | None:
    """The bytes of an element that belong to the array that an address leads into, and of an array
    behind what has no known size those of the array itself, from where it begins.
    """
    start, length = _distance(address, points_to)
    if length is not None:
        return start, start + length
    width = item.element.width
    if not item.members or not width:
        return None
    start %= width
    return next((each for each in item.members if each[0] <= start < each[1]), None)


def leaves_member(item: MemoryObject, address: Value, points_to: PointsTo, offset: int) -> bool:
    """Whether a byte of an object is outside of the member array that an address is meant to lead
    into.
    """
    bounds = member_bounds(item, address, points_to) if item.members else None
    if bounds is None or not item.element.width:
        return False
    return not bounds[0] <= offset % item.element.width < bounds[1]


def _distance(address: Value, points_to: PointsTo) -> tuple[int, int | None]:
    """The constants that a pointer has been moved by on its way from its object; with the length of
    an array that it has been moved to by what is not known, and then those before that.
    """
    total = 0
    length: int | None = None
    for moved, base in pairwise(pointers_of(address, points_to)):
        for each in moved.operands:
            if isinstance(each, UnknownDistance):
                total = total if each.length is None else 0
                length = each.length if length is None else length
            elif each is not base:
                total += whole_number(each) or 0
    return total, length
