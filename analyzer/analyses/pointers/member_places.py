"""Which bytes of the elements of an array an access touches: a member of a struct, wherever it is.

In: the address of an access, `list + i * 32 + 16`. Out: a `Part`: what the address starts from, the
bytes from one element to the next, and those that are touched in each; None where the address is no
such sum. Parts of one array that share no byte never touch, whatever the indices may be.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ...ir.types import Kind
from ...ir.values import ObjectAddress
from ...source.records import dataclass
from ..dataflow.affine import affine

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value


@dataclass(frozen=True, slots=True)
class Part:
    """The bytes of a member in an array of structures: `width` bytes from `start` on, in every
    element of `stride` bytes; of one if that is 0.
    """

    base: Value
    stride: int
    start: int
    width: int


def part_of(access: MemoryAccess) -> Part | None:
    """The member of an array's elements that an access touches."""
    form = affine(access.address)
    if not access.width:
        return None
    base, stride, start = None, 0, form.number
    for each, factor in form.factors.items():
        if factor == 1 and (each.type.kind is Kind.POINTER or isinstance(each, ObjectAddress)):
            if base is not None:
                return None
            base = each
        else:
            stride = gcd(stride, factor)
    if base is None:
        return None
    return Part(base, stride, start % stride if stride else start, access.width)


def are_apart(one: Part, other: Part) -> bool:
    """Whether two members that accesses touch, of what starts at one place, share no byte."""
    if one.base is not other.base:
        return False
    stride, distance = gcd(one.stride, other.stride), other.start - one.start
    if not stride:
        return distance >= one.width or -distance >= other.width
    distance %= stride
    return distance >= one.width and distance + other.width <= stride
