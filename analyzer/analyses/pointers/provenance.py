"""What a value is made of: data alone, a thread's own index, something that nobody can tell.

In: a value, taken for what all it is computed from. Out: yes or no; no also where it is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    AccessKind,
    Compare,
    Convert,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
)
from ...ir.types import Kind
from ...ir.values import Parameter, Special, SpecialRegister, Undefined, Unknown
from ..dataflow.reachability import postorder
from ..dataflow.slices import backward_slice, loads_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...ir.values import Value
    from .points_to import PointsTo

_OPAQUE = frozenset({Opcode.CALL, Opcode.OPAQUE, Opcode.WARP, Opcode.BARRIER})
_MERGING = _OPAQUE | {Opcode.PHI, Opcode.SELECT}


def is_unknown(value: Value) -> bool:
    """Whether a value of the IR is `Unknown`: it has a meaning, but nobody can tell which; not so
    before it is written.
    """
    return isinstance(value, Unknown) and not isinstance(value, Undefined)


def is_data(
    condition: Value, points_to: PointsTo, through: Callable[[Value], bool] | None = None
) -> bool:
    """Whether a condition is made of loaded data alone, that any thread may find as it likes. A
    variable that is loaded behind a guard holds what was loaded wherever it is asked for.
    """
    return all(is_of_data(each, points_to) for each in backward_slice(condition, through=through))


def is_of_data(value: Value, points_to: PointsTo) -> bool:
    """Whether a value brings nothing but loaded data, or what threads have from the beginning, into
    what is computed from it.
    """
    if isinstance(value, MemoryAccess):
        return not (value.atomic or _is_own(value, points_to))
    opaque = isinstance(value, Operation) and value.opcode in _OPAQUE
    return not (opaque or is_unknown(value))


def _is_own(load: MemoryAccess, points_to: PointsTo) -> bool:
    """Whether a load finds what the thread itself has put there."""
    return Space.LOCAL in points_to.spaces(load)


def reads_memory(value: Value) -> bool:
    """Whether loaded data has a part in what a value is made of."""
    return bool(loads_in(value))


def asks_untyped(condition: Value) -> bool:
    """Whether a condition is made of a parameter of unknown type, among others: nobody can tell for
    which threads it holds.
    """
    return any(
        isinstance(each, Parameter) and each.type.kind is Kind.UNKNOWN
        for each in backward_slice(condition)
    )


def orders(condition: Value) -> bool:
    """Whether a condition compares values by size: more than one thread may well pass it."""
    return isinstance(condition, Compare) and condition.opcode in (
        Opcode.LT,
        Opcode.LE,
        Opcode.GT,
        Opcode.GE,
    )


def comparisons(condition: Value) -> Iterator[Compare]:
    """The comparisons that a condition is made of: all hold when it does, or perhaps one
    of them.
    """
    parts = backward_slice(
        condition, through=lambda each: isinstance(each, Operation) and each.opcode in _JOINING
    )
    return (each for each in parts if isinstance(each, Compare))


_JOINING = (Opcode.AND, Opcode.OR, Opcode.PHI)


def loads_of(value: Value) -> Iterator[MemoryAccess]:
    """The loads that a value is made of directly, not through other loads nor through loops."""
    for each in backward_slice(value, through=_is_made_at_once):
        if isinstance(each, MemoryAccess) and each.kind is AccessKind.LOAD:
            yield each


def _is_made_at_once(value: Value) -> bool:
    return not isinstance(value, MemoryAccess | Phi)


def _made_at_once_of(value: Value) -> Sequence[Value]:
    return value.operands if _is_made_at_once(value) else ()


class LoadedParts:
    """The loads that values of one kernel are made of directly: `loads_of` for many that are made
    of each other.
    """

    def __init__(self) -> None:
        self._bits: dict[MemoryAccess, int] = {}
        self._known: dict[Value, int] = {}  # the bits of the loads that each value is made of

    def has(self, value: Value, load: MemoryAccess) -> bool:
        """Whether a load is among those that a value is made of."""
        return bool(self._of(value) & self._bits.get(load, 0))

    def _of(self, value: Value) -> int:
        known = self._known
        for each in postorder(value, _made_at_once_of, known):
            bits = self._bit_of(each) if isinstance(each, MemoryAccess) else 0
            for part in _made_at_once_of(each):
                bits |= known[part]
            known[each] = bits
        return known[value]

    def _bit_of(self, load: MemoryAccess) -> int:
        if load.kind is not AccessKind.LOAD:
            return 0
        return self._bits.setdefault(load, 1 << len(self._bits))


def differs(
    value: Value, one: dict[Special, int], other: dict[Special, int], *, sized: bool = False
) -> bool:
    """Whether two threads have different values by what these are made of: their own indices, or
    data found by them. `sized`: no size has brought both to the same data.
    """
    own = False
    for each in backward_slice(value):
        if isinstance(each, Unknown):
            return False
        if isinstance(each, Operation) and each.opcode in _MERGING:
            return False
        if isinstance(each, MemoryAccess) and each.atomic:
            return False
        if isinstance(each, Parameter) and each.type.kind is Kind.INTEGER and not sized:
            return False  # a size may bring both to the same data
        if isinstance(each, SpecialRegister):
            own = own or one.get(each.register) != other.get(each.register)
    return own


def is_made_of_data(address: Value) -> bool:
    """Whether an address is made of loaded data that is cut to size: bins, not a list of places."""
    for each in backward_slice(address):
        if isinstance(each, Operation) and each.opcode in _CUTTING:
            return reads_memory(each)
        if isinstance(each, MemoryAccess) and each.element.bits == 8:
            return True
        if isinstance(each, Convert) and each.source.kind is Kind.FLOAT:
            return True
    return False


_CUTTING = frozenset({Opcode.AND, Opcode.REM, Opcode.DIV, Opcode.SHR, Opcode.MIN})
