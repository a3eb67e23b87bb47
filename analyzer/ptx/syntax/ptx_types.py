"""PTX types as IR types (PTX ISA 5.2): `.s32` → INT32, `.b64` → UINT64, `.f16x2` → 32 bits.

Untyped bits are read as unsigned. Packed and alternate floating-point formats have no arithmetic in
the IR: they become aggregates of their size, under their own name.
"""

from __future__ import annotations

from ...ir.types import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    PREDICATE,
    UNKNOWN,
    Kind,
    Type,
    integer,
)

_TYPES: dict[str, Type] = {
    "pred": PREDICATE,
    "f16": FLOAT16,
    "f32": FLOAT32,
    "f64": FLOAT64,
    "bf16": Type(Kind.FLOAT, 16, name="bf16"),
    "tf32": Type(Kind.FLOAT, 32, name="tf32"),
    "texref": Type(Kind.POINTER, 64, name="texref"),
    "samplerref": Type(Kind.POINTER, 64, name="samplerref"),
    "surfref": Type(Kind.POINTER, 64, name="surfref"),
}
for _bits in (8, 16, 32, 64, 128):
    _TYPES[f"b{_bits}"] = _TYPES[f"u{_bits}"] = integer(_bits, signed=False)
    _TYPES[f"s{_bits}"] = integer(_bits, signed=True)

_WIDTHS = {
    **dict.fromkeys(("f16x2", "bf16x2", "u16x2", "s16x2", "u8x4", "s8x4"), 32),
    **dict.fromkeys(("e4m3x2", "e5m2x2", "e3m2x2", "e2m3x2", "ue8m0x2", "s2f6x2"), 16),
    **dict.fromkeys(("e4m3x4", "e5m2x4", "e3m2x4", "e2m3x4"), 32),
    **dict.fromkeys(("e4m3", "e5m2", "e3m2", "e2m3", "ue8m0", "e2m1x2", "e2m1"), 8),
    **dict.fromkeys(("u4", "s4"), 4),
    **dict.fromkeys(("b1",), 1),
    "e2m1x4": 16,
    "f32x2": 64,
    "b8x16": 128,
}
for _name, _bits in _WIDTHS.items():
    _TYPES[_name] = Type(Kind.AGGREGATE, _bits, name=_name)


def type_of(name: str) -> Type:
    """The IR type of a PTX type without its dot; UNKNOWN for what is not a type."""
    return _TYPES.get(name, UNKNOWN)


def is_type(name: str) -> bool:
    """Whether a modifier of PTX is a type."""
    return name in _TYPES


def bits(type_: Type) -> int:
    """Size in bits of a PTX type; 32 for what has none."""
    return type_.bits if type_.bits is not None else 32
