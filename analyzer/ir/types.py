"""Types of IR values: what an operation must know to compute, no more.

An integer type carries width and signedness, since division, shifts, comparisons and widening
depend on them; `.b32` of PTX is read as unsigned. Sizes that the source does not settle
(a template parameter's) are None.
"""

from __future__ import annotations

from ..source.records import dataclass
from .quick_enum import QuickEnum


class Kind(QuickEnum):
    """The classes of IR types whose values behave alike."""

    VOID = "void"
    PREDICATE = "predicate"
    INTEGER = "integer"
    FLOAT = "float"
    POINTER = "pointer"
    AGGREGATE = "aggregate"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Type:
    """One type of IR values; `name` is how the source spells it, for messages only."""

    kind: Kind
    bits: int | None
    signed: bool = False
    name: str = ""

    @property
    def width(self) -> int | None:
        """Size in bytes; None when unknown."""
        return None if self.bits is None else (self.bits + 7) // 8

    def __str__(self) -> str:
        if self.name:
            return self.name
        letter = {Kind.INTEGER: "s" if self.signed else "u", Kind.FLOAT: "f"}.get(self.kind)
        return f"{letter}{self.bits}" if letter else self.kind.value


def integer(bits: int, *, signed: bool) -> Type:
    """The integer type of the IR of a width; one object per type."""
    return (_SIGNED if signed else _UNSIGNED)[bits]


_SIGNED = {bits: Type(Kind.INTEGER, bits, True) for bits in (8, 16, 32, 64, 128)}
_UNSIGNED = {bits: Type(Kind.INTEGER, bits, False) for bits in (8, 16, 32, 64, 128)}

VOID = Type(Kind.VOID, 0)
PREDICATE = Type(Kind.PREDICATE, 1)
INT8, INT16, INT32, INT64 = (_SIGNED[bits] for bits in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (_UNSIGNED[bits] for bits in (8, 16, 32, 64))
FLOAT16 = Type(Kind.FLOAT, 16)
FLOAT32 = Type(Kind.FLOAT, 32)
FLOAT64 = Type(Kind.FLOAT, 64)
POINTER = Type(Kind.POINTER, 64)
UNKNOWN = Type(Kind.UNKNOWN, None)
