"""Data that is used behind the flag which hands it over: `flag = 1; data = 42;`.

In: a kernel's facts. Out: a flag that a thread sets once, an access to one fixed place that the
same thread makes behind it, and the access of another thread that waits for the flag; one of the
two writes. Whoever waits may be there before, or at once.
Left out is what something else may order: a barrier, a call or another wait behind the flag, a
later flag; accesses that data decides about; flags that are set in loops. Not handled: places that
differ between threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Barrier, MemoryAccess, Opcode
from ...source.records import dataclass
from ..dataflow.paths import Waypoints, are_apart, can_reach
from ..dataflow.value_numbering import alike
from ..pointers.memory_model import TOUCHING, is_strong
from ..pointers.provenance import reads_memory
from ..warp_evaluation.uniformity import Uniformity
from .publications import is_awaited
from .scopes import are_of_two_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from .facts import OrderFacts
    from .spins import Spin

_UNREAD = (Opcode.CALL, Opcode.OPAQUE)


@dataclass(frozen=True, slots=True)
class Late:
    """An access to data after the flag that hands it over, and that of the thread which has waited
    for it.
    """

    flag: MemoryAccess
    access: MemoryAccess
    waited: MemoryAccess
    item: MemoryObject


def late_accesses(facts: OrderFacts) -> Iterator[Late]:
    """The first access to data after each flag that has handed it over already, in
    program order.
    """
    if facts.spins:
        yield from _LateAccesses(facts).find()


class _LateAccesses:
    """What is asked of one kernel for each of its flags."""

    def __init__(self, facts: OrderFacts) -> None:
        self._facts = facts
        reads = {spin.read for spin in facts.spins}
        self._ways = Waypoints(facts.flow, lambda each: each in reads or _may_order(each))
        uniformity = facts.launches[0].uniformity
        self._fixed = [
            access
            for access in facts.accesses
            if access.kind in TOUCHING and uniformity.of(access.address) <= Uniformity.GRID
            if facts.points_to.spaces(access) == {Space.GLOBAL} and not self._is_chosen(access)
        ]

    def find(self) -> Iterator[Late]:
        """See `late_accesses`."""
        facts = self._facts
        for flag in facts.accesses:
            if not flag.writes or facts.flow.loop_nest(flag.block):
                continue
            for spin in facts.spins:
                found = self._behind(spin, flag) if self._is_flag(spin, flag) else None
                if found is not None:
                    yield found
                    break

    def _is_flag(self, spin: Spin, flag: MemoryAccess) -> bool:
        """Whether a thread sets it that does not wait, for one that waits and does not set it."""
        facts = self._facts
        if flag is spin.read or facts.points_to.object_of(flag) is not spin.item:
            return False
        apart = are_apart(facts.flow, spin.read, flag)
        apart = apart or are_of_two_blocks(facts, spin.read, flag)
        return apart and is_awaited(facts, spin, flag)

    def _behind(self, spin: Spin, flag: MemoryAccess) -> Late | None:
        facts = self._facts
        late = [each for each in self._fixed if self._comes_behind(flag, each)]
        waited = [each for each in self._fixed if can_reach(facts.flow, spin.read, each)]
        for access in late:
            for other in waited:
                item = facts.points_to.object_of(access)
                if (
                    item is None
                    or item is spin.item
                    or facts.points_to.object_of(other) is not item
                ):
                    continue
                if self._meet(access, other) and not self._is_ordered(access, other):
                    return Late(flag, access, other, item)
        return None

    def _comes_behind(self, flag: MemoryAccess, access: MemoryAccess) -> bool:
        """Whether the thread that sets a flag makes an access then, and nothing comes between."""
        return (
            self._facts.flow.dominators.dominates(flag.block.index, access.block.index)
            and can_reach(self._facts.flow, flag, access)
            and self._ways.passes_through(flag, access) is False
        )

    def _meet(self, one: MemoryAccess, other: MemoryAccess) -> bool:
        """Whether two threads come to the same bytes, one of them to change them."""
        if not (one.writes or other.writes) or (is_strong(one) and is_strong(other)):
            return False
        if one.kind is other.kind is AccessKind.STORE and alike(one.operands[1], other.operands[1]):
            return False
        return alike(one.address, other.address)

    def _is_ordered(self, access: MemoryAccess, other: MemoryAccess) -> bool:
        """Whether a later flag may say that the first one is done."""
        facts = self._facts
        return any(
            can_reach(facts.flow, access, flag)
            for spin in facts.spins
            if can_reach(facts.flow, spin.read, other)
            for flag in facts.accesses
            if flag.writes and facts.points_to.object_of(flag) is spin.item
        )

    def _is_chosen(self, access: MemoryAccess) -> bool:
        """Whether data decides if an access is made at all."""
        return any(map(reads_memory, self._facts.flow.conditions(access.block)))


def _may_order(operation: Operation) -> bool:
    waits = isinstance(operation, Barrier) and operation.wait
    return waits or operation.opcode in _UNREAD
