"""The size of a type where `long` has 4 bytes, as on Windows, and not 8, as on Linux.

In: a type as it is laid out here, where `long` has 8 bytes (LP64). Out: its size by the other data
model (LLP64; "64-Bit Programming Models: Why LP64?", The Open Group, 1998): all other types are
alike, and so are alignments but those of `long`. None where the size is not known. Example: of
`struct { long at; float x; }` 8, not 16. Not handled: bit-fields in `long`, `long double`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ctypes import Form

if TYPE_CHECKING:
    from .ctypes import CType

_SHORT = 4  # bytes of a `long` on Windows

_Layout = tuple[int, int]  # size and alignment


def size_by_short_long(type: CType) -> int | None:
    """The bytes of a type where a `long` has 4 of them."""
    if not type.has_long:
        return type.size
    found = _laid_out(type)
    return None if found is None else found[0]


def _laid_out(type: CType) -> _Layout | None:
    if type.size is None or type.alignment is None:
        return None
    if not type.has_long:
        return type.size, type.alignment
    if type.form is Form.ARRAY and type.element is not None:
        element = _laid_out(type.element)
        return None if element is None else (element[0] * (type.extent or 0), element[1])
    return _of_members(type, type.alignment) if type.members else (_SHORT, _SHORT)


def _of_members(type: CType, alignment: int) -> _Layout | None:
    """A class laid out anew; one that is aligned better than all of its members stays so."""
    widest = max(member.type.alignment or 1 for member in type.members)
    wanted, end = alignment if alignment > widest else 1, 0
    union = len(type.members) > 1 and all(not member.offset for member in type.members)
    for member in type.members:
        part = _laid_out(member.type)
        if part is None or member.offset is None:
            return None
        size, own = part
        start = 0 if union else -(-end // own) * own
        wanted, end = max(wanted, own), max(end, start + size)
    return -(-end // wanted) * wanted, wanted
