"""How types are taken apart: members of classes, elements of arrays.

In: a type. Out: whether its members are moved or held one by one, what they were together, and what
lies behind its dimensions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.arithmetic import wrap
from ....ir.operations import Field, Opcode
from ....ir.values import Constant
from .ctypes import Form
from .scope import FieldPlace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.values import Value
    from .ctypes import CType, Member
    from .scope import Place

_MOST_MEMBERS = 32  # of a class that is moved or held member by member
_MOST_PARTS = 512  # of such a class, those of its members counted, and theirs
_MOST_ARRAYS = 4_096  # parts of a class whose arrays are told apart


def is_copied(type: CType) -> bool:
    """Whether a type is an array that is a value like any other: a `std::array`."""
    return type.form is Form.ARRAY and type.origin is not None


def offset_of(index: int, member: Member) -> int:
    """The offset of a C++ class's member; a number of its own below zero when that is not known."""
    return -1 - index if member.offset is None else member.offset


def field_of(base: Place, index: int, member: Member) -> FieldPlace:
    """The place of a member of an object in registers."""
    return FieldPlace(base, offset_of(index, member), member.type, member.name)


def taken_apart(type: CType, operands: list[Value]) -> Value | None:
    """The value of a class type that these are the members of, all, each at its own place."""
    parts = [
        each.operands[0]
        for index, (each, member) in enumerate(zip(operands, type.members, strict=False))
        if isinstance(each, Field)
        and each.opcode is Opcode.EXTRACT
        and each.offset == offset_of(index, member)
    ]
    if not parts or len(parts) < len(type.members) or any(each is not parts[0] for each in parts):
        return None
    return parts[0] if parts[0].type == type.ir() else None


def has_parts(type: CType) -> bool:
    """Whether the members of a class are variables of their own: no union, not too many."""
    if type.form is not Form.CLASS or not 0 < len(type.members) <= _MOST_MEMBERS:
        return False
    if type.parts > _MOST_PARTS:
        return False
    places = [member.offset for member in type.members if member.offset is not None]
    key = getattr(getattr(type.origin, "definition", None), "key", "")
    return key != "union" and len(set(places)) == len(places)


def is_split(type: CType) -> bool:
    """Whether the compiler moves a class member by member: no vector is as wide and as aligned."""
    if type.form is not Form.CLASS or not 1 < len(type.members) <= _MOST_MEMBERS:
        return False
    whole = type.size in (2, 4, 8, 16) and type.alignment == type.size
    names = {member.name for member in type.members}
    places = {member.offset for member in type.members}
    if len(names) < len(type.members) or len(places) < len(type.members):
        return False
    scalars = all(m.type.is_scalar and m.offset is not None for m in type.members)
    return scalars and not whole


def scalar_of(type: CType) -> CType:
    """The element type behind every dimension of an array."""
    while type.form is Form.ARRAY and type.element is not None:
        type = type.element
    return type


def extents_of(type: CType) -> tuple[int | None, ...]:
    """The dimensions of an array type, outermost first."""
    extents: list[int | None] = []
    while type.form is Form.ARRAY and type.element is not None:
        extents.append(type.extent)
        type = type.element
    return tuple(extents)


def member_arrays(type: CType, start: int = 0) -> Iterator[tuple[int, int]]:
    """The arrays that are members of a class, or of one that is a member of it: from where to where
    in an object of it. Where a member lies in a place that is not known, there is none.
    """
    told_apart = type.form is Form.CLASS and type.parts <= _MOST_ARRAYS
    for member in type.members if told_apart else ():
        size = member.type.size
        if member.offset is None or size is None:
            continue
        begin = start + member.offset
        if member.type.form is Form.ARRAY:
            yield begin, begin + size
        yield from member_arrays(member.type, begin)


def converted(value: Constant, wanted: ir.Type) -> Constant:
    """A constant of the IR as another type."""
    number = value.value
    if wanted.kind is ir.Kind.FLOAT:
        widened = wanted == ir.FLOAT64 and (value.type != ir.FLOAT64 or value.widened)
        return Constant(wanted, float(number), widened=widened)
    if isinstance(number, float) and (number != number or abs(number) == float("inf")):
        number = 0
    integers = (ir.Kind.INTEGER, ir.Kind.POINTER, ir.Kind.PREDICATE)
    whole = int(number)
    return Constant(wanted, wrap(whole, wanted) if wanted.kind in integers else whole)
