"""Stores that leave what is there, as what they would put in its place is made of that itself.

In: a thread at a store, and what it has loaded meanwhile. Out: whether the value is a combination
of what was there with itself that gives it back: `x | (x & y)`, `max(x, min(x, y))`, and `min(x, x
+ y)` or `if (x + y < x)`. So the algorithm of Floyd and Warshall works in place: in iteration k
nobody changes row k or column k. Sums are taken for those of lengths, none of which is negative.
Not handled: loads in another iteration of a loop, values that are chosen (`c ? a : b`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function
from ...ir.operations import AccessKind, Compare, MemoryAccess, Opcode, Operation, Pure, unconverted
from ..block_execution.thread_vectors import entry_of
from ..dataflow.value_numbering import alike

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ir.values import Value
    from ..block_execution.access_events import ThreadAccess
    from ..block_execution.run_context import AccessEvent
    from ..dataflow.control_flow import ControlFlow

#: What gives the first operand back when the second is one of these of it and anything.
_ABSORBED = {
    Opcode.OR: (Opcode.AND,),
    Opcode.AND: (Opcode.OR,),
    Opcode.MAX: (Opcode.MIN,),
    Opcode.MIN: (Opcode.MAX, Opcode.ADD),
}
_BOUNDS = {Function.MINIMUM: Opcode.MIN, Function.MAXIMUM: Opcode.MAX}
_LESS, _GREATER = (Opcode.LT, Opcode.LE), (Opcode.GT, Opcode.GE)


class AbsorbingStores:
    """The stores of a kernel that may leave what stands there as it is; what each leaves is the
    same for all threads.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self._flow = flow
        self._absorbed: dict[MemoryAccess, list[tuple[Value, Operation]]] = {}

    def keep(self, store: ThreadAccess, events: Iterable[AccessEvent]) -> bool:
        """Whether a thread stores what is there, or does not come to store."""
        if store.access not in self._absorbed:
            self._absorbed[store.access] = list(_absorbed(self._flow, store.access))
        wanted = self._absorbed[store.access]
        if not wanted:
            return False
        found = frozenset(
            event.access
            for event in events
            if event.iterations == store.event.iterations
            if event.access.width == store.access.width
            if entry_of(store.thread, event.addresses) == store.address
        )
        return any(kept in found and not found.isdisjoint(_parts(new)) for kept, new in wanted)


def _absorbed(flow: ControlFlow, store: MemoryAccess) -> Iterator[tuple[Value, Operation]]:
    """What a store leaves as it is where it was there before, and what it is combined with."""
    if store.kind is not AccessKind.STORE:
        return
    value = unconverted(store.operands[1])
    pairs = [(_combines(value), *pair) for pair in _both_paths(value)]
    pairs += [(opcode, kept, value) for opcode, kept in _compared(flow, store, value)]
    for opcode, kept, new in pairs:
        absorbing = opcode in _ABSORBED and _combines(new) in _ABSORBED[opcode]
        if absorbing and isinstance(new, Operation):
            yield kept, new


def _combines(value: Value) -> Opcode | None:
    """What an operation makes of two values."""
    if isinstance(value, Pure):
        return _BOUNDS.get(value.function)
    return value.opcode if isinstance(value, Operation) else None


def _parts(value: Operation) -> list[Value]:
    return [unconverted(each) for each in value.operands]


def _both_paths(value: Value) -> list[tuple[Value, Value]]:
    """The two operands of an operation, either one first."""
    if not isinstance(value, Operation) or len(value.operands) != 2:
        return []
    one, other = _parts(value)
    return [(one, other), (other, one)]


def _compared(
    flow: ControlFlow, store: MemoryAccess, value: Value
) -> Iterator[tuple[Opcode, Value]]:
    """What a value must be less or greater than to be stored: as a minimum or maximum with that."""
    for edge in flow.controlling_edges(store.block):
        condition = edge.branch.terminator.operands[0]
        if not isinstance(condition, Compare) or edge.target is not edge.branch.successors[0]:
            continue
        one, other = _parts(condition)
        is_first = alike(one, value)
        kept = other if is_first else one if alike(other, value) else None
        if kept is None or condition.opcode not in _LESS + _GREATER:
            continue
        is_less = (condition.opcode in _LESS) is is_first
        yield (Opcode.MIN if is_less else Opcode.MAX), kept
