"""Reads of a place that the reading thread stores to itself: it may read what it has left there.

In: two threads of a block, a store and a read. Out: whether the reader makes the same store at once
and nothing shows that the two leave different values: values that differ, a flag that is set to
something else in the same iteration (`reset_flags.py`), or one place for what each thread has found
for itself (`uniform_destinations.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conflicts.equal_stores import own_store
from ..question.doubt import Doubt, Effect
from .differing_values import writes_differ
from .reset_flags import is_reset
from .uniform_destinations import shares_place

if TYPE_CHECKING:
    from ...block_execution.access_events import ThreadAccess
    from ..question.candidates import BlockCandidate


def _may_read_its_own(candidate: BlockCandidate) -> bool:
    first, second = candidate.first, candidate.second
    if second.access.writes:
        return False
    own = own_store(first, second, candidate.launch.threads)
    return own is not None and not _leaves_own(candidate, first, own)


def _leaves_own(candidate: BlockCandidate, store: ThreadAccess, own: ThreadAccess) -> bool:
    """Whether a store leaves at one place what is another thread's own, and not this one's."""
    if writes_differ(candidate, store, own) or is_reset(candidate.facts, store.access):
        return True
    indices = candidate.index_of(store), candidate.index_of(own)
    return shares_place(candidate.judged_for, store.access, *indices)


DOUBT = Doubt(
    "reads-own-value",
    Effect.POSSIBLE,
    "the thread that reads also writes here, and may read the value that it wrote itself",
    _may_read_its_own,
)
