"""Copies to shared memory that are on their way in a run of a block, and who reads too early.

In: what a run tells (`execution.py`). Out: each pair of an asynchronous copy and a read of the same
bytes that no wait stands between, with the thread that reads. Groups stand in a queue: a commit
closes the one under way, a wait for all but the last N lets the older ones arrive, that of a
`cuda::pipeline` the oldest one; what was not committed runs on. Any other wait, such as
`cp.async.wait_all`, one at an mbarrier and code that was not read let all arrive. Behind iterations
that are left out and commit, more groups stand in the queue than were seen: a wait lets arrive what
came before.

Follows the PTX ISA, 9.7.9.25 (`cp.async.commit_group`, `cp.async.wait_group`). A wait is taken to
be executed by all threads that copy. Not handled: copies of unknown width or place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.asynchronous import CopyBarrier, SizedAccess
from ...ir.memory import Space
from ...ir.operation_kinds import CopyStep
from ...ir.operations import AccessKind, Barrier, BarrierKind
from ...ir.tiles import Lines
from ...ir.values import whole_number
from ...source.records import dataclass
from ..warp_evaluation.lane_values import WARP
from .thread_vectors import entries, flags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess, Operation
    from ...ir.values import Value
    from ..launch.assumed_launch import AssumedLaunch
    from ..warp_evaluation.facts import WarpLaunch
    from .block_program import BlockProgram
    from .run_context import AccessEvent
    from .thread_vectors import Threads

MOST_QUEUES = 2  # that are told apart: with more, each wait is taken for one for all
COMPARISONS = 2_000  # of a copy and a read in one run; beyond, nothing more is looked at
_OF_PLACES = frozenset({CopyStep.ACQUIRE, CopyStep.RELEASE})
_READING = frozenset(
    {AccessKind.LOAD, AccessKind.ATOMIC, AccessKind.MATRIX_LOAD, AccessKind.TILE_LOAD}
)


@dataclass(frozen=True, slots=True)
class Unwaited:
    """A thread's read of shared memory that an asynchronous copy still fills; `own` when the reader
    copied it itself.
    """

    copy: MemoryAccess
    read: MemoryAccess
    item: MemoryObject
    offset: int
    reader: int  # its number in the block
    copier: int
    waited: Barrier | None  # the last wait before, which lets this copy's group run on
    committed: bool
    launch: AssumedLaunch

    @property
    def is_collective(self) -> bool:
        """Whether threads made the copy together, so that it is no single one's."""
        return isinstance(self.copy, SizedAccess) and self.copy.collective is not None


Pair = tuple["MemoryAccess", "MemoryAccess"]


class _InFlight:
    """A visit of a copy: where each thread's bytes go."""

    def __init__(self, event: AccessEvent, count: int) -> None:
        self.copy = event.access
        self.width = event.width or 1
        self.threads = {
            address: thread
            for thread, (flag, address) in enumerate(_each(event, count))
            if flag and address is not None
        }
        self.low = min(self.threads, default=0)
        self.high = max(self.threads, default=0) + self.width

    def reaching(self, address: int, width: int) -> Iterator[tuple[int, int]]:
        """Where a copy begins that touches the bytes from an address on, and the thread of it."""
        first, end = address - self.width + 1, address + width
        if end - first > len(self.threads):
            yield from (pair for pair in self.threads.items() if first <= pair[0] < end)
            return
        for start in range(first, end):
            copier = self.threads.get(start)
            if copier is not None:
                yield start, copier


def _each(event: AccessEvent, count: int) -> Iterator[tuple[int, int | None]]:
    """For each thread whether it is sure to be there, and its address."""
    return zip(flags(event.must, count), entries(event.addresses, count), strict=False)


class CopiesInFlight:
    """Watches the run of one block for reads of what asynchronous copies still fill."""

    def __init__(self, program: BlockProgram, launch: WarpLaunch) -> None:
        self._program = program
        self._launch = launch
        self._count = launch.launch.threads
        self._queues: dict[Value | None, _Queue] = {}
        self._waited: Barrier | None = None
        self._left = COMPARISONS
        self.found: dict[Pair, Unwaited] = {}
        self.seen: set[MemoryAccess] = set()

    def access(self, event: AccessEvent) -> None:
        """Notes a copy; compares a read with what is under way."""
        access = event.access
        if access.kind is AccessKind.ASYNC_COPY:
            if event.addresses is not None and event.width and event.must:
                queue = access.queue if isinstance(access, SizedAccess) else None
                self._queue(queue).open.append(_InFlight(event, self._count))
            return
        if access.kind not in _READING or event.addresses is None or not event.width:
            return
        self.seen.add(access)
        committed = [copy for each in self._queues.values() for copy in each.committed]
        uncommitted = [copy for each in self._queues.values() for copy in each.open]
        if not committed and not uncommitted:
            return
        lanes = 1 if access.kind is AccessKind.TILE_LOAD else WARP  # a tile is the same for all
        reads = {
            thread: address
            for thread, (flag, address) in enumerate(_each(event, self._count))
            if flag and address is not None and thread % WARP < lanes
        }
        for copies in (committed, uncommitted):
            for copy in copies:
                if reads and (copy.copy, access) not in self.found and self._left > 0:
                    self._compare(copy, event, reads, committed=copies is committed)

    def _compare(
        self, copy: _InFlight, event: AccessEvent, reads: dict[int, int], *, committed: bool
    ) -> None:
        """Looks for a thread that reads what is being copied, its own copy first."""
        width = event.width or 1
        lines = event.lines or Lines(1, width, 0)
        if max(reads.values()) + width <= copy.low or min(reads.values()) >= copy.high:
            return
        self._left -= 1
        best: tuple[bool, int, int, int] | None = None
        for thread, address in reads.items():
            for line in range(lines.count):
                first = address + line * lines.pitch
                for start, copier in copy.reaching(first, lines.length):
                    place = (copier != thread, thread, copier, max(start, first))
                    best = place if best is None else min(best, place)
        item = None if best is None else self._program.object_at(best[3])
        if best is None or item is None or item[0].space is not Space.SHARED:
            return
        self.found[copy.copy, event.access] = Unwaited(
            copy.copy,
            event.access,
            item[0],
            item[1],
            reader=best[1],
            copier=best[2],
            waited=self._waited,
            committed=committed,
            launch=self._launch.launch,
        )

    def block_barrier(self, barrier: Operation) -> None:
        """A barrier of the block lets no copy arrive; what may wait for copies does."""
        if isinstance(barrier, Barrier) and barrier.kind is BarrierKind.MBARRIER and barrier.wait:
            self._arrive()

    def unread_call(self, call: Operation) -> None:
        """It may have waited for them all."""
        self._arrive()

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """The lanes of a warp meet, their copies fly on."""

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """A commit closes a group; a wait lets all but the last ones arrive, or the oldest."""
        if not isinstance(operation, CopyBarrier) or operation.step in _OF_PLACES:
            return
        queue = self._queue(operation.queue)
        if operation.step is CopyStep.COMMIT:
            queue.commit(often=often)
            return
        self._waited = operation
        left = None if operation.left is None else whole_number(operation.left)
        known = operation.queue is None or queue.groups or queue.open
        if often or not known or len(self._queues) > MOST_QUEUES:
            self._arrive()
        elif operation.step is CopyStep.WAIT_OLDEST:
            queue.let_oldest_arrive()
        elif left:
            queue.let_arrive(left)
        elif left is not None and operation.queue is None:
            queue.let_arrive(0)  # `cp.async.wait_group 0`: what is in no group runs on
        elif operation.queue is None:
            self._arrive()
        else:
            queue.clear()

    def _queue(self, value: Value | None) -> _Queue:
        return self._queues.setdefault(value, _Queue())

    def _arrive(self) -> None:
        for queue in self._queues.values():
            queue.clear()


class _Queue:
    """The groups of copies that are waited for in one way, the oldest first."""

    def __init__(self) -> None:
        self.open: list[_InFlight] = []  # in no group yet
        self.groups: list[list[_InFlight]] = []
        self._uncounted = 0  # the groups before iterations that were left out and committed more

    @property
    def committed(self) -> list[_InFlight]:
        """The copies in groups."""
        return [copy for group in self.groups for copy in group]

    def commit(self, *, often: bool) -> None:
        """The copies so far are a group; `often`: there were more."""
        self.groups.append(self.open)
        self.open = []
        self._uncounted = len(self.groups) if often else self._uncounted

    def let_arrive(self, left: int) -> None:
        """All groups but the last ones."""
        del self.groups[: max(self._uncounted, len(self.groups) - left)]
        self._uncounted = 0

    def let_oldest_arrive(self) -> None:
        """The group at the front; all that were there before iterations that were left out."""
        del self.groups[: max(self._uncounted, 1)]
        self._uncounted = 0

    def clear(self) -> None:
        """All copies arrive."""
        self.groups.clear()
        self.open.clear()
        self._uncounted = 0
