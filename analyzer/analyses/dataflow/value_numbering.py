"""Names that values share when they are computed alike from the same values.

In: a value. Out: a hashable name; two loads of one place count as the same value, as in
`a[b[i]] = a[b[i]] + 1`, and so do two mentions of a constant that nothing in sight declares. In
which order two numbers are added makes no difference. A phi goes by itself. What is computed gets a
number for a name: names that hold the names of their operands are compared for ever where a value
is doubled over and over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import COMMUTATIVE
from ...ir.operations import (
    AccessKind,
    Compare,
    Convert,
    Field,
    MemoryAccess,
    Operation,
    Phi,
    Pure,
)
from ...ir.values import Constant, ObjectAddress, SpecialRegister, Undeclared
from .reachability import postorder

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ...ir.values import Value


class ValueNumbering:
    """Names of values of the IR: computed alike from the same values, they share one."""

    def __init__(self) -> None:
        self._names: dict[Value, Hashable] = {}
        self._numbers: dict[Hashable, int] = {}

    def give(self, value: Value, name: Hashable) -> None:
        """Let a value share a name before anything that is computed from it gets one."""
        self._names[value] = name

    def of(self, value: Value) -> Hashable:
        """A name that values computed alike share."""
        names = self._names
        for each in postorder(value, _operands, names):
            kind = computed_by(each)
            if kind is None:
                names[each] = _own_name(each)
            else:
                operands = [names[operand] for operand in each.operands]
                either_way = isinstance(each, Operation) and each.opcode in COMMUTATIVE
                name = (kind, frozenset(operands)) if either_way else (kind, *operands)
                names[each] = self._numbers.setdefault(name, len(self._numbers))
        return names[value]


def alike(one: Value, other: Value) -> bool:
    """Whether two values of the IR are computed alike from the same values."""
    names = ValueNumbering()
    return names.of(one) == names.of(other)


def _operands(value: Value) -> Sequence[Value]:
    """What the name of a value is made of."""
    return () if computed_by(value) is None else value.operands


def _own_name(value: Value) -> Hashable:
    if isinstance(value, Constant):
        return (value.type, value.value)
    if isinstance(value, SpecialRegister):
        return (value.register, value.name)
    if isinstance(value, ObjectAddress):
        return value.object
    if isinstance(value, Undeclared):
        return (value.type, value.reason)
    return value


def computed_by(value: Value) -> Hashable | None:
    """What an operation does with its operands, for value numbering; None for values that nothing
    is like.
    """
    if not isinstance(value, Operation) or isinstance(value, Phi):
        return None
    detail: Hashable = None
    if isinstance(value, MemoryAccess):
        if value.kind is not AccessKind.LOAD or value.volatile:
            return None
    elif isinstance(value, Pure):
        detail = value.name
    elif isinstance(value, Field):
        detail = value.offset
    elif isinstance(value, Convert):
        detail = value.source
    elif isinstance(value, Compare):
        detail = value.compared
    elif value.opcode.value in ("barrier", "warp", "call", "opaque"):
        return None
    return (value.opcode, value.type, detail)
