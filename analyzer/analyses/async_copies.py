"""Reads of shared memory that an asynchronous copy may not have filled yet.

In: a kernel's facts. Out: each pair of a copy (`cp.async`, `__pipeline_memcpy_async`, bulk copies)
and a read of the same bytes that no wait stands between, with the thread that reads. A block is run
as a whole (`block_execution.py`), with a queue of groups: a commit closes the group under way, a
wait for all but the last N lets the older ones arrive, any other wait, a wait at an mbarrier and
code that was not read let all arrive.

Follows the PTX ISA, 9.7.9.25 (`cp.async.commit_group`, `cp.async.wait_group`). A wait is taken to
be executed by all threads that copy. Data that is waited for but not shared with the other threads
by a barrier is a race (`conflicts.py`). Not handled: copies of unknown width or place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.operations import AccessKind, Barrier, BarrierKind
from ..ir.values import Unknown, whole_number
from ..source.records import dataclass
from .assumed_numbers import AssumedNumbers, Course
from .block_execution import BlockExecution
from .block_program import BlockProgram, computed_from
from .block_scene import Scene
from .lane_values import WARP
from .races import WORK
from .thread_vectors import entries, flags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ir.memory import MemoryObject
    from ..ir.operations import MemoryAccess, Operation
    from .block_scene import Visit
    from .facts import KernelFacts, LaunchFacts
    from .launch import AssumedLaunch
    from .thread_vectors import Threads

COMPARISONS = 2_000  # of a copy and a read in one run; beyond, nothing more is looked at
_READING = frozenset({AccessKind.LOAD, AccessKind.ATOMIC, AccessKind.MATRIX_LOAD})


@dataclass(frozen=True, slots=True)
class Unwaited:
    """A read of what is still being copied; `own` when the reader copied it itself."""

    copy: MemoryAccess
    read: MemoryAccess
    item: MemoryObject
    offset: int
    reader: int  # its number in the block
    copier: int
    waited: Barrier | None  # the last wait before, which lets this copy's group run on
    committed: bool
    launch: AssumedLaunch


Pair = tuple["MemoryAccess", "MemoryAccess"]


def unwaited_copies(facts: KernelFacts) -> Iterator[Unwaited]:
    """One for each copy and read, with the launch that shows it."""
    if not any(_is_copy(facts, access) for access in facts.accesses):
        return
    told: dict[Pair, Unwaited] = {}
    for launch in facts.launches:
        if launch.launch.trusted:
            for pair, found in _in_launch(launch).items():
                told.setdefault(pair, found)
    yield from told.values()


def _is_copy(facts: KernelFacts, access: MemoryAccess) -> bool:
    into = facts.points_to.spaces(access)
    return access.kind is AccessKind.ASYNC_COPY and into == {Space.SHARED}


def _in_launch(launch: LaunchFacts) -> dict[Pair, Unwaited]:
    """What shows in every course that comes to the read."""
    program = BlockProgram(launch)
    first = _run(program, launch, Course.EQUAL)
    found = first.found
    if found and (first.numbers.used or first.numbers.decided):
        second = _run(program, launch, Course.DIFFERENT)
        found = {
            pair: each
            for pair, each in found.items()
            if pair in second.found or pair[1] not in second.seen
        }
    return {pair: each for pair, each in found.items() if not _is_template(pair)}


def _is_template(pair: Pair) -> bool:
    """Whether an argument that is not known has a part in an address."""
    return any(
        isinstance(each, Unknown) for access in pair for each in computed_from(access.address)
    )


def _run(program: BlockProgram, launch: LaunchFacts, course: Course) -> _CopiesInFlight:
    numbers = AssumedNumbers(program, launch, course)
    share = WORK // len(launch.facts.launches)
    watching = _CopiesInFlight(program, launch, numbers)
    BlockExecution(program, Scene(launch, (0, 0, 0), numbers, limit=share), watching).run()
    return watching


class _InFlight:
    """A visit of a copy: where each thread's bytes go."""

    def __init__(self, visit: Visit, count: int) -> None:
        self.copy = visit.access
        self.width = visit.access.width or 1
        self.threads = {
            address: thread
            for thread, (flag, address) in enumerate(_each(visit, count))
            if flag and address is not None
        }
        self.low = min(self.threads, default=0)
        self.high = max(self.threads, default=0) + self.width


def _addressing(access: MemoryAccess) -> int:
    """How many lanes of a warp say where to read: `ldmatrix` asks 8 for each register it fills."""
    filled = access.type.width if access.kind is AccessKind.MATRIX_LOAD else None
    return WARP if filled is None else 2 * filled


def _each(visit: Visit, count: int) -> Iterator[tuple[int, int | None]]:
    """For each thread whether it is sure to be there, and its address."""
    return zip(flags(visit.sure, count), entries(visit.addresses, count), strict=False)


class _CopiesInFlight:
    """Watches the run of one block."""

    def __init__(self, program: BlockProgram, launch: LaunchFacts, numbers: AssumedNumbers) -> None:
        self._program = program
        self._launch = launch
        self._count = launch.launch.threads
        self.numbers = numbers
        self._open: list[_InFlight] = []
        self._groups: list[list[_InFlight]] = []
        self._waited: Barrier | None = None
        self._left = COMPARISONS
        self.found: dict[Pair, Unwaited] = {}
        self.seen: set[MemoryAccess] = set()

    def access(self, visit: Visit) -> None:
        """Notes a copy; compares a read with what is under way."""
        access = visit.access
        if access.kind is AccessKind.ASYNC_COPY:
            if visit.addresses is not None and access.width and visit.sure:
                self._open.append(_InFlight(visit, self._count))
            return
        if access.kind not in _READING or visit.addresses is None or not access.width:
            return
        self.seen.add(access)
        committed = [copy for group in self._groups for copy in group]
        if not committed and not self._open:
            return
        lanes = _addressing(access)
        reads = {
            thread: address
            for thread, (flag, address) in enumerate(_each(visit, self._count))
            if flag and address is not None and thread % WARP < lanes
        }
        for copy in (*committed, *self._open):
            if reads and (copy.copy, access) not in self.found and self._left > 0:
                self._compare(copy, visit, reads, committed=copy in committed)

    def _compare(
        self, copy: _InFlight, visit: Visit, reads: dict[int, int], *, committed: bool
    ) -> None:
        """Looks for a thread that reads what is being copied, its own copy first."""
        width = visit.access.width or 1
        if max(reads.values()) + width <= copy.low or min(reads.values()) >= copy.high:
            return
        self._left -= 1
        best: tuple[bool, int, int, int] | None = None
        for thread, address in reads.items():
            for start in range(address - copy.width + 1, address + width):
                copier = copy.threads.get(start)
                if copier is not None:
                    place = (copier != thread, thread, copier, max(start, address))
                    best = place if best is None else min(best, place)
        item = None if best is None else self._program.object_at(best[3])
        if best is None or item is None or item[0].space is not Space.SHARED:
            return
        self.found[copy.copy, visit.access] = Unwaited(
            copy.copy,
            visit.access,
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
        waits = isinstance(barrier, Barrier) and barrier.kind is BarrierKind.MBARRIER
        if not isinstance(barrier, Barrier) or (waits and barrier.wait):
            self._arrive(0)

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """The lanes of a warp meet, their copies fly on."""

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """A commit closes a group; a wait lets all but the last ones arrive."""
        if not isinstance(operation, Barrier):
            return
        if not operation.wait:
            self._groups.append(self._open)
            self._open = []
            return
        self._waited = operation
        left = whole_number(operation.operands[0]) if operation.operands else None
        if left is not None and left > 0 and not often:
            del self._groups[: max(0, len(self._groups) - left)]
        else:
            self._arrive(0)

    def _arrive(self, left: int) -> None:
        del self._groups[: len(self._groups) - left]
        self._open.clear()
