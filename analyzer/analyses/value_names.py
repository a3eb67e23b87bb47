"""Names that values share when they are computed alike from the same values.

In: a value. Out: a hashable name; two loads of one place count as the same value, as in
`a[b[i]] = a[b[i]] + 1`. Values beyond a depth go by themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.operations import (
    AccessKind,
    Compare,
    Convert,
    Field,
    MemoryAccess,
    Operation,
    Phi,
    Pure,
)
from ..ir.values import Constant, ObjectAddress, SpecialRegister

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..ir.values import Value

_DEPTH = 40  # operations deep that values are compared


def alike(one: Value, other: Value) -> bool:
    """Whether two values are computed alike."""
    names: dict[Value, Hashable] = {}
    return named(one, names) == named(other, names)


def named(value: Value, names: dict[Value, Hashable], depth: int = 0) -> Hashable:
    """A name that values computed alike share."""
    if value not in names:
        names[value] = _new_name(value, names, depth)
    return names[value]


def _new_name(value: Value, names: dict[Value, Hashable], depth: int) -> Hashable:
    if isinstance(value, Constant):
        return (value.type, value.value)
    if isinstance(value, SpecialRegister):
        return (value.register, value.name)
    if isinstance(value, ObjectAddress):
        return value.object
    if not isinstance(value, Operation) or isinstance(value, Phi) or depth > _DEPTH:
        return value
    detail: Hashable = None
    if isinstance(value, MemoryAccess):
        if value.kind is not AccessKind.LOAD or value.volatile:
            return value
    elif isinstance(value, Pure):
        detail = value.name
    elif isinstance(value, Field):
        detail = value.offset
    elif isinstance(value, Convert):
        detail = value.source
    elif isinstance(value, Compare):
        detail = value.compared
    elif value.opcode.value in ("barrier", "warp", "call", "opaque"):
        return value
    operands = tuple(named(operand, names, depth + 1) for operand in value.operands)
    return (value.opcode, value.type, detail, operands)
