"""Types that need no declaration: those of C++ under all their names, and the classes of CUDA.

In: a name, or words such as `unsigned long long`. Out: their type. Not handled: types that headers
of libraries declare.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from .ctypes import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    LONG_LONG,
    UINT,
    ULONG,
    ULONG_LONG,
    VOID,
    CType,
    Form,
    enumeration,
    integer,
    lay_out,
)

#: By the words of CUDA, as in `uint4`.
SCALARS = {
    "char": CHAR,
    "uchar": integer("unsigned char", 1, signed=False),
    "short": integer("short", 2, signed=True),
    "ushort": integer("unsigned short", 2, signed=False),
    "int": INT,
    "uint": UINT,
    "long": LONG,
    "ulong": ULONG,
    "longlong": LONG_LONG,
    "ulonglong": ULONG_LONG,
    "float": FLOAT,
    "double": DOUBLE,
}


def _vectors() -> dict[str, CType]:
    found: dict[str, CType] = {}
    for prefix, scalar in SCALARS.items():
        for count in (1, 2, 3, 4):
            assert scalar.size is not None
            own = min(16, scalar.size * count) if count != 3 else scalar.size
            members = [("xyzw"[i], scalar, own if i == 0 else None) for i in range(count)]
            found[f"{prefix}{count}"] = lay_out(f"{prefix}{count}", members, union=False)
    return found


def _halves(name: str, scalar: CType) -> CType:
    return lay_out(name, [("x", scalar, 4), ("y", scalar, None)], union=False)


def _small_floats() -> dict[str, CType]:
    """The numbers of 8, 6 and 4 bits in `cuda_fp8.h` and its sisters: classes, not scalars."""
    found: dict[str, CType] = {}
    for bits, formats in ((8, "e4m3 e5m2 e8m0"), (6, "e2m3 e3m2"), (4, "e2m1")):
        for name in formats.split():
            for count in (1, 2, 4):
                size = max(1, count // 2) if bits == 4 else count
                full = f"__nv_fp{bits}{f'x{count}' if count > 1 else ''}_{name}"
                found[full] = CType(Form.CLASS, full, size, size)
    return found


_BF16 = replace(HALF, name="__nv_bfloat16")

#: Types that need no declaration.
BUILTIN: dict[str, CType] = {
    **_vectors(),
    **_small_floats(),
    "dim3": lay_out("dim3", [(axis, UINT, None) for axis in "xyz"], union=False),
    **{name: replace(HALF, name=name) for name in ("half", "__half", "nv_half", "float16")},
    **dict.fromkeys(("__nv_bfloat16", "nv_bfloat16", "bfloat16"), _BF16),
    **{name: _halves(name, HALF) for name in ("half2", "__half2", "nv_half2")},
    **{name: _halves(name, _BF16) for name in ("__nv_bfloat162", "nv_bfloat162")},
    **dict.fromkeys(("size_t", "std::size_t", "uintptr_t", "uint64_t", "u_int64_t"), ULONG),
    **dict.fromkeys(("ssize_t", "ptrdiff_t", "intptr_t", "int64_t", "std::ptrdiff_t"), LONG),
    **dict.fromkeys(("uint32_t", "uint", "u_int32_t", "u_int", "unsigned"), UINT),
    "int32_t": INT,
    "ulong": ULONG,
    "int16_t": integer("short", 2, signed=True),
    "uint16_t": integer("unsigned short", 2, signed=False),
    "ushort": integer("unsigned short", 2, signed=False),
    "int8_t": CHAR,
    "uint8_t": integer("unsigned char", 1, signed=False),
    "uchar": integer("unsigned char", 1, signed=False),
    **dict.fromkeys(
        ("std::byte", "cuda::std::byte"),
        enumeration("byte", integer("unsigned char", 1, signed=False)),
    ),
    "u_char": integer("unsigned char", 1, signed=False),
    "cuFloatComplex": replace(_vectors()["float2"], name="cuFloatComplex"),
    "cuComplex": replace(_vectors()["float2"], name="cuComplex"),
    "cufftComplex": replace(_vectors()["float2"], name="cufftComplex"),
    "cuDoubleComplex": replace(_vectors()["double2"], name="cuDoubleComplex"),
    "cudaTextureObject_t": replace(ULONG_LONG, name="cudaTextureObject_t"),
    "cudaSurfaceObject_t": replace(ULONG_LONG, name="cudaSurfaceObject_t"),
    "clock_t": LONG,
}


#: `long` by its own name, of which systems differ in the size: what `int64_t` is here is no such.
_LONG, _ULONG = replace(LONG, has_long=True), replace(ULONG, has_long=True)


def from_words(words: list[str]) -> CType | None:
    """The built-in type that `unsigned long long` and its like name; None for other names."""
    if len(words) == 1 and words[0] in BUILTIN:
        return BUILTIN[words[0]]
    bag = [word for word in words if word not in ("const", "volatile", "typename")]
    if not bag or any(word not in _WORDS for word in bag):
        return None
    if "double" in bag:
        return DOUBLE
    for single in ("void", "bool", "float"):
        if single in bag:
            return {"void": VOID, "bool": BOOL, "float": FLOAT}[single]
    signed = "unsigned" not in bag
    if "char" in bag:
        return CHAR if signed else BUILTIN["uchar"]
    if "short" in bag:
        return BUILTIN["int16_t"] if signed else BUILTIN["ushort"]
    if "__int64" in bag or bag.count("long") == 2:
        return LONG_LONG if signed else ULONG_LONG
    if "long" in bag:
        return _LONG if signed else _ULONG
    if "auto" in bag:
        return None
    return INT if signed else UINT


@lru_cache(maxsize=256)
def of_keywords(name: str) -> CType | None:
    """The type that keywords alone name, which nobody can declare anew; None for other names."""
    words = name.split()
    return from_words(words) if all(word in _WORDS for word in words) else None


_WORDS = frozenset(
    (
        *("void", "bool", "char", "short", "int", "long", "float", "double"),
        *("signed", "unsigned", "__int64"),
    )
)
