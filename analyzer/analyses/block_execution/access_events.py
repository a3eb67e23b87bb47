"""One thread at an access, and two of them at the same bytes.

In: the visits of a run (`run_context.py`). Out: where a thread's bytes begin, what it stores and
where it has it from, as far as the visit tells; two threads in conflict, and which pair of them
makes the better example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.records import dataclass
from ..warp_evaluation.lane_values import WARP
from .thread_vectors import entry_of

if TYPE_CHECKING:
    from ...ir.kernel import Dimensions
    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess, Operation
    from .run_context import AccessEvent


@dataclass(frozen=True, slots=True)
class ThreadAccess:
    """One thread of a run at an access to memory."""

    event: AccessEvent
    thread: int
    must: bool  # no decision that is not known stands before it
    block: Dimensions | None = None  # blockIdx, where it matters

    @property
    def access(self) -> MemoryAccess:
        """The access."""
        return self.event.access

    @property
    def address(self) -> int:
        """Where the thread's bytes begin."""
        found = entry_of(self.thread, self.event.addresses)
        assert found is not None
        return found

    @property
    def loaded_from(self) -> int | None:
        """Where it has what it stores, if it only copies."""
        return entry_of(self.thread, self.event.loaded_from)

    @property
    def stored(self) -> int | None:
        """The integer it stores, if known."""
        return entry_of(self.thread, self.event.stored)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two threads at the same bytes of an object, `first` before `second` in the run."""

    first: ThreadAccess
    second: ThreadAccess
    item: MemoryObject
    offset: int  # of the first common byte in the object
    called: tuple[Operation, ...] = ()  # the calls that were not read and lie in between

    @property
    def accesses(self) -> tuple[MemoryAccess, MemoryAccess]:
        """What the two threads execute, the earlier one first."""
        return self.first.access, self.second.access

    @property
    def same_warp(self) -> bool:
        """Whether only lanes of one warp are known to meet here."""
        same = self.first.thread // WARP == self.second.thread // WARP
        return same and self.first.block == self.second.block

    @property
    def rank(self) -> Rank:
        """What makes the better example; smaller is better."""
        both_must = self.first.must and self.second.must
        some_must = self.first.must or self.second.must
        return (bool(self.called), self.same_warp, not some_must, not both_must)


@dataclass(frozen=True, slots=True)
class Outside:
    """A thread of a run whose access lies beyond the end of an array, or before its first
    element.
    """

    touch: ThreadAccess
    item: MemoryObject  # of known size
    offset: int

    @property
    def distance(self) -> int:
        """How many bytes of the array away from it the thread is."""
        last = (self.item.size or 0) - (self.touch.event.width or 1)
        return max(self.offset - last, -self.offset)


Rank = tuple[bool, bool, bool, bool]
Conflicts = dict[tuple["MemoryAccess", "MemoryAccess"], Conflict]
