"""Stores at the rank of a lane among those that vote: `kept[count + __popc(votes & lower)] = x`.

In: the visit of such a store in a run. Out: the same with data chosen so that of each warp only the
last lane that comes there has voted: it stores where the first one would. A warp closes the gaps in
what it keeps like that ("stream compaction", Harris, Sengupta, Owens: GPU Gems 3, chapter 39); each
lane has a place of its own, but another one than it has elsewhere.
All such stores are seen with the same choice, so that no two of them are set against each other.
Where it is not known what the first lane's place is, as in later iterations, nothing is chosen. Not
handled: ranks among lanes with equal keys (`__match_any_sync`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function, WarpKind
from ...ir.operations import AccessKind, Pure, WarpOperation, unconverted
from ..dataflow.affine import affine
from ..dataflow.slices import backward_slice
from ..warp_evaluation.lane_values import WARP
from .per_thread import PerThread
from .thread_vectors import numbers

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from .run_context import AccessEvent


class RankedStores:
    """The visits of one run in which lanes store at their ranks."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._ranked: dict[MemoryAccess, bool] = {}

    def chosen(self, event: AccessEvent) -> AccessEvent:
        """The visit; that of a store at ranks which are not known, with chosen data."""
        places, access = event.addresses, event.access
        if not isinstance(places, PerThread) or places.known or not self._is_ranked(access):
            return event
        entries, last = places.entries, dict[int, int]()
        for thread in numbers(event.must | event.may, self._count):
            last[thread // WARP] = thread
        moved = {
            thread: entries[warp * WARP]
            for warp, thread in last.items()
            if entries[thread] is None and entries[warp * WARP] is not None
        }
        kept = sum(1 << 8 * thread for thread in moved)
        addresses = PerThread(tuple(map(moved.get, range(self._count))))
        return replace(event, must=event.must & kept, may=event.may & kept, addresses=addresses)

    def _is_ranked(self, access: MemoryAccess) -> bool:
        if access not in self._ranked:
            parts = affine(access.address).factors.items()
            ranks = [factor for value, factor in parts if _is_rank(value)]
            self._ranked[access] = access.kind is AccessKind.STORE and ranks == [access.width]
        return self._ranked[access]


def _is_rank(value: Value) -> bool:
    """Whether a value is a number of bits of a ballot."""
    value = unconverted(value)
    return (
        isinstance(value, Pure)
        and value.function is Function.COUNT_ONES
        and any(
            isinstance(each, WarpOperation) and each.kind is WarpKind.VOTE_BALLOT
            for each in backward_slice(value)
        )
    )
