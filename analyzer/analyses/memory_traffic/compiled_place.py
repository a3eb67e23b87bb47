"""The place under which a compiler's line table, and so a profiler, has an access.

In: an access. Out: the part of its expression that the profiler shows it at. That matters for what
is spread over several lines: nvcc gives a subscript the line where its index ends, `*pointer` the
line where the pointer ends, and the copy of a structure or vector the line of what is copied; what
a macro made is where the macro is used (seen in the `.loc` directives of nvcc 13 with `-lineinfo`).
Everything else is at its first character.
Not handled: lines that the optimiser chooses for merged or moved accesses; brackets in comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, MemoryAccess
from ...ir.types import Kind
from ...source.text import Span

if TYPE_CHECKING:
    from ...source.location import Location


def compiled_place(access: MemoryAccess) -> Span:
    """The place in the source under which compilers, and so profilers, have an access: up to its
    end.
    """
    if access.location.origin is not None or access.kind not in (AccessKind.LOAD, AccessKind.STORE):
        return access.location.span
    return _last_token(_copied(access) or access.location)


def _copied(access: MemoryAccess) -> Location | None:
    """The load from which a whole structure or vector is stored."""
    stores = access.kind is AccessKind.STORE and len(access.operands) > 1
    value = access.operands[1] if stores else None
    if not isinstance(value, MemoryAccess) or access.element.kind is not Kind.AGGREGATE:
        return None
    same_text = value.location.span.source is access.location.span.source
    same_call = value.location.inlined_at is access.location.inlined_at
    return value.location if same_text and same_call else None


def _last_token(location: Location) -> Span:
    span = location.span
    if location.macro is not None:
        return span
    text = span.text
    end = text.rfind("]")
    if end < 0 and text.startswith("*"):
        end = len(text.rstrip(") \t\r\n"))
    inside = text[: max(end, 0)].rstrip()
    is_call = text.endswith(")") and not text.startswith("*")
    if not inside or is_call:
        return span
    return Span(span.source, span.start + len(inside) - 1, span.end)
