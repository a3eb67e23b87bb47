"""The vector type of CUDA that holds several elements: what an advice can say and compiles.

In: an element's type and a number of bytes. Out: `float4`, `double2`, `uchar4`, ... of the same
kind of element; for elements without a vector of that size the unsigned one of as many bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.ir.types import Kind

if TYPE_CHECKING:
    from ...analyzer.ir.types import Type

_FLOATS = {32: "float", 64: "double"}
_SIGNED = {8: "char", 16: "short", 32: "int", 64: "longlong"}
_COUNTS = (2, 4)  # elements of CUDA's vectors that are aligned to their size
_BYTES = {16: "uint4", 8: "uint2", 4: "uint"}


def vector_type(element: Type, size: int) -> str:
    """The name of a vector of these elements with so many bytes."""
    bits = element.bits or 0
    count = 8 * size // bits if bits else 0
    base = ""
    if element.kind is Kind.FLOAT:
        base = _FLOATS.get(bits, "")
    elif element.kind is Kind.INTEGER:
        base = _SIGNED.get(bits, "")
        if base and not element.signed:
            base = f"u{base}"
    if base and count in _COUNTS and bits * count == 8 * size:
        return f"{base}{count}"
    return _BYTES.get(size, "uint4")
