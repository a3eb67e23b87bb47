"""Which addresses are aligned by how they are put together, whatever the numbers in them.

Problem: most accesses index whole elements of an object, `p[i]`: no lane has to be looked at to see
that their addresses are multiples of their width. Algorithm: congruences, closed under operations
(P. Granger, "Static Analysis of Arithmetical Congruences", 1989), with 0 alone: a sum of multiples
is one, and so is a product with one; wrapping around at a width in bits keeps multiples of powers
of two. A phi is one if all that comes into it is, where it is itself assumed to be.
In: a value of the IR, a power of two. Out: whether it is a multiple for sure, where objects start
at such addresses. Not handled: multiples by arithmetic of bits (`i & ~3`), and by quotients.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ...ir.operations import Convert, Field, Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import ObjectAddress, Parameter, whole_number

if TYPE_CHECKING:
    from ...ir.values import Value

_INTEGERS = frozenset({Kind.INTEGER, Kind.POINTER})
_MOST = 200  # values that are looked at

_Part = tuple["Value", int]


def is_aligned(address: Value, width: int) -> bool:
    """Whether an address is a multiple of a power of two for sure, if objects start at one."""
    asked: set[_Part] = set()
    left = [(address, width)]
    while left:
        part = left.pop()
        if part in asked or part[1] <= 1:
            continue
        asked.add(part)
        parts = _parts(*part)
        if parts is None or len(asked) > _MOST:
            return False
        left += parts
    return True


def _parts(value: Value, width: int) -> list[_Part] | None:
    """What must be multiples of what for a value to be one; None where that is not known."""
    if (number := whole_number(value)) is not None:
        return [] if number % width == 0 else None
    if isinstance(value, Phi):
        return [(each, width) for each in value.operands]
    if not isinstance(value, Operation) or isinstance(value, Field):
        return [] if _is_start(value) else None
    if value.type.kind not in _INTEGERS:
        return None
    if isinstance(value, Convert):
        return [(value.operands[0], width)] if value.source.kind in _INTEGERS else None
    operands = value.operands
    match value.opcode:
        case Opcode.ADD | Opcode.SUB | Opcode.NEG | Opcode.SELECT:
            return [(each, width) for each in operands[-2:]]
        case Opcode.MUL:
            first, second = operands if whole_number(operands[1]) is not None else operands[::-1]
            return [(first, width // gcd(width, whole_number(second) or 1))]
        case Opcode.SHL:
            return [(operands[0], width >> max(whole_number(operands[1]) or 0, 0))]
    return None


def _is_start(value: Value) -> bool:
    """Whether a value is where an object starts."""
    if isinstance(value, Parameter):
        return value.pointee is not None or value.type.kind is Kind.POINTER
    if isinstance(value, Field):
        return value.opcode is Opcode.EXTRACT and value.type.kind is Kind.POINTER
    return isinstance(value, ObjectAddress)
