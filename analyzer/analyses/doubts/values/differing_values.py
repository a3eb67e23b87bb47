"""Stores of one access by two threads: whether they are known to write different values.

In: two threads at a store. Out: whether the values differ; no where it is not known. What blocks
have in shared memory may be the same in each of them. Two lanes that store what both found at one
place (`if (i < n) out[i] = sums[0]` in all of a warp), or what both compute of that, write the
same, but where that place is written meanwhile: then it is those accesses that conflict. A function
that was not read may give both threads the same for the same arguments: `real[i] = in[i].real()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.memory import Space
from ....ir.operations import AccessKind, Call, MemoryAccess
from ...conflicts.equal_stores import come_from_one_place
from ...conflicts.race_kinds import RaceKind
from ...dataflow.slices import backward_slice
from ...pointers.provenance import differs
from ..question.candidates import BlockCandidate, GridCandidate
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.values import Value
    from ...block_execution.access_events import ThreadAccess
    from ...conflicts.facts import ConflictFacts
    from ..question.candidates import AnyCandidate


_OF_BARRIERS = frozenset({RaceKind.BARRIER, RaceKind.BARRIER_IN_LOOP})


def writes_differ(candidate: AnyCandidate, first: ThreadAccess, second: ThreadAccess) -> bool:
    """Whether the stores of two conflicting threads are known to write different values."""
    if come_from_one_place(first, second):
        return False  # the number of each load is ours
    if first.stored is not None and second.stored is not None:
        return first.stored != second.stored
    values = [touch.access.operands[1] for touch in (first, second)]
    across = isinstance(candidate, GridCandidate)
    if across and any(_was_left_in_block(candidate.facts, each) for each in values):
        return False
    # Within a block, copies that come from two places do so whatever sizes are.
    sized = None not in (first.loaded_from, second.loaded_from) and not across
    ours, theirs = map(candidate.index_of, (first, second))
    return all(differs(each, ours, theirs, sized=sized) for each in values)


def _was_left_in_block(facts: ConflictFacts, value: Value) -> bool:
    """Whether a value comes from shared memory, where each block may hold the same."""
    return any(
        isinstance(each, MemoryAccess) and facts.points_to.spaces(each) != {Space.GLOBAL}
        for each in backward_slice(value)
    )


def _is_computed_unread(candidate: BlockCandidate) -> bool:
    """Whether both threads make one store, to one place, of what a function that was not read makes
    of nothing but what tells the place.
    """
    first, second = candidate.first, candidate.second
    store = first.access
    if store is not second.access or first.address != second.address:
        return False
    if store.kind is not AccessKind.STORE or not any(
        isinstance(each, Call) for each in backward_slice(store.operands[1])
    ):
        return False
    tracked = candidate.context.tracked
    return tracked.perhaps_determined_by_address(store, first.thread, second.thread)


def _may_be_equal(candidate: AnyCandidate) -> bool:
    first, second = candidate.first, candidate.second
    if isinstance(candidate, BlockCandidate) and _is_computed_unread(candidate):
        return True
    if candidate.kind in _OF_BARRIERS:
        return False
    if candidate.kind is RaceKind.WARP_BARRIER:
        formulas = candidate.judged_for.equal_formulas
        return first.access is second.access and (
            come_from_one_place(first, second)
            or formulas.store_the_same(first, second, at_one_time=True)
        )
    return not writes_differ(candidate, first, second)


DOUBT = Doubt(
    "values-may-be-equal",
    Effect.POSSIBLE,
    "the values that the two threads write may be equal",
    _may_be_equal,
    frozenset({RaceKind.WRITES, RaceKind.WARP_BARRIER, *_OF_BARRIERS}),
)
