"""Storage of block-wide collectives that is used again before all threads are done with it.

In: a kernel's facts. Out: pairs of collectives (CUB's `BlockReduce` and its like) that work in one
shared object with no barrier of the block on any path from the first to the second, which may be
the first one's next iteration. Follows the CUB documentation: "A subsequent __syncthreads()
threadblock barrier should be invoked after calling this method if the collective's temporary
storage is to be reused or repurposed". Anything that may wait for the block counts as a barrier:
calls that were not read, and collectives in other storage, which wait somewhere inside. Not
handled: parts of one object, as in a union of storages; collectives of a warp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import WHOLE, Barrier, BarrierKind, Opcode
from ...ir.values import ObjectAddress
from ...source.records import dataclass
from ..dataflow.paths import Waypoints
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from .facts import BarrierFacts

_MEETING = WHOLE | {BarrierKind.NAMED, BarrierKind.MBARRIER}
_UNREAD = frozenset({Opcode.CALL, Opcode.OPAQUE})


@dataclass(frozen=True, slots=True)
class Reuse:
    """Two block-wide collectives in one shared storage; both may be the same operation."""

    first: Barrier
    second: Barrier
    storage: MemoryObject


def reused_storage(facts: BarrierFacts) -> Iterator[Reuse]:
    """The collectives that find their shared storage still in use, each once, in program order."""
    if all(launch.launch.threads <= WARP for launch in facts.launches):
        return
    users: dict[MemoryObject, list[Barrier]] = {}
    for barrier in facts.every(Barrier):
        item = _storage(barrier)
        if item is not None:
            users.setdefault(item, []).append(barrier)
    for item, barriers in users.items():
        between = Waypoints(facts.flow, lambda each, item=item: _orders(each, item))  # type: ignore[misc]
        for second in barriers:
            before = (x for x in barriers if between.passes_through(x, second) is False)
            first = next(before, None)
            if first is not None:
                yield Reuse(first, second, item)


def _storage(operation: Operation) -> MemoryObject | None:
    """The shared object that a collective of the block works in."""
    if not isinstance(operation, Barrier) or not operation.library or not operation.operands:
        return None
    address = operation.operands[0]
    if isinstance(address, ObjectAddress) and address.object.space is Space.SHARED:
        return address.object
    return None


def _orders(operation: Operation, item: MemoryObject) -> bool:
    """Whether the threads of the block may meet here outside of collectives in this storage."""
    if operation.opcode in _UNREAD:
        return True
    if not isinstance(operation, Barrier) or operation.kind not in _MEETING:
        return False
    return _storage(operation) is not item
