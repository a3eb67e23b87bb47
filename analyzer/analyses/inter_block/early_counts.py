"""A block that counts itself done while some of its threads may not have stored yet.

In: a kernel's facts. Out: a store or an atomic update of data that the last block reads, the count
by which a block says that it is done, and two threads of it: one that stores, and the one that
counts, with no barrier of the block between the two, nor one of the warp, or an exchange of its
lanes, where they are of one warp. A fence orders what its own thread has stored: it does not wait
for the other threads (CUDA C++ Programming Guide, "Memory Fence Functions").
One block of the first launch with several blocks is run, and only where a count, its last block and
such data are there. Left out: a thread whose warp has another thread that counts for it, but for
lanes of that warp, and counts that data decides about, as it may choose who is last in the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Compare, MemoryAccess
from ...source.records import dataclass
from ..block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from ..block_execution.block_program import BlockProgram
from ..block_execution.execution import BlockExecution
from ..block_execution.run_context import RunContext, Unordered
from ..block_execution.thread_vectors import numbers
from ..dataflow.joined_conditions import parts_of
from ..dataflow.paths import can_reach
from ..pointers.counted_blocks import decided_by_count, is_count
from ..pointers.memory_model import ATOMIC
from ..pointers.provenance import is_data, orders
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.uniformity import Uniformity
from .publications import is_of_others
from .scopes import has_one_block

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from ...ir.values import Value
    from ..block_execution.run_context import AccessEvent
    from ..block_execution.thread_vectors import Threads
    from ..launch.assumed_launch import AssumedLaunch
    from .facts import OrderFacts, OrderLaunch

_LIMIT = 300_000  # values of single threads


@dataclass(frozen=True, slots=True)
class EarlyCount:
    """Data that a block stores for others, the count of done blocks that does not wait for it, and
    the two threads.
    """

    data: MemoryAccess
    count: MemoryAccess
    reader: MemoryAccess
    item: MemoryObject
    storing: int  # threads
    counting: int
    launch: AssumedLaunch


def early_counts(facts: OrderFacts) -> Iterator[EarlyCount]:
    """The counts of done blocks that some threads have not stored for yet, each once, in program
    order.
    """
    counts = [each for each in facts.accesses if is_count(each) and _is_global(facts, each)]
    if not counts or has_one_block(facts):
        return
    for count in counts:
        wanted = {
            data: reader
            for data, reader in _published(facts, count)
            if can_reach(facts.flow, data, count)
        }
        found = _run(facts, count, wanted) if wanted else None
        if found is not None:
            yield found


def _is_global(facts: OrderFacts, access: MemoryAccess) -> bool:
    return facts.points_to.space_of(access) is Space.GLOBAL


def _published(
    facts: OrderFacts, count: MemoryAccess
) -> Iterator[tuple[MemoryAccess, MemoryAccess]]:
    """What blocks leave for the last one, and where that reads it."""
    behind = decided_by_count(facts, count) if facts.is_used(count) else set()
    if not behind:
        return
    own = facts.points_to.object_of(count)
    late = [each for each in facts.accesses if each.reads and each.block in behind]
    for data in facts.accesses:
        item = facts.points_to.object_of(data)
        if item is None or item is own or data.block in behind or not _is_global(facts, data):
            continue
        adds = data.kind in ATOMIC and not facts.is_used(data)
        for reader in late:
            ours = facts.points_to.object_of(reader) is item
            if ours and (adds or (data.kind is AccessKind.STORE and is_of_others(data, reader))):
                yield data, reader
                break


def _run(
    facts: OrderFacts, count: MemoryAccess, wanted: dict[MemoryAccess, MemoryAccess]
) -> EarlyCount | None:
    """Whether a block comes to the count while others have stored, with no barrier since."""
    launch = next(each for each in facts.launches if each.launch.grid != (1, 1, 1))
    watcher = _Watcher(launch, count, wanted, {each for each in wanted if _by_data(facts, each)})
    program = BlockProgram(launch)
    assumed = AssumedNumbers(program, launch, SizeScenario.EQUAL)
    BlockExecution(program, RunContext(launch, (0, 0, 0), assumed, limit=_LIMIT), watcher).run()
    found = watcher.found
    if found is None:
        return None
    data, storing, counting = found
    item = facts.points_to.object_of(data)
    assert item is not None
    return EarlyCount(data, count, wanted[data], item, storing, counting, launch.launch)


def _by_data(facts: OrderFacts, data: MemoryAccess) -> bool:
    """Whether nothing lets threads come to an access or not but data, which may be anything, and
    numbers that an index is compared with, which are the same for the block.
    """
    edges = facts.flow.controlling_edges(data.block)
    return all(
        _is_loaded(facts, part) or (isinstance(part, Compare) and _is_bound(facts, part))
        for edge in edges
        for part in parts_of(edge)
    )


def _is_loaded(facts: OrderFacts, part: Value) -> bool:
    """Whether loaded values and numbers that are known make a condition, wherever those lie."""
    return is_data(part, facts.points_to, through=lambda each: not isinstance(each, MemoryAccess))


def _is_bound(facts: OrderFacts, compare: Compare) -> bool:
    of = facts.launches[0].uniformity.of
    return orders(compare) and any(of(each) <= Uniformity.BLOCK for each in compare.operands)


class _Watcher(Unordered):
    """Watches who has stored since the last barrier of the block, and who counts then."""

    def __init__(
        self,
        launch: OrderLaunch,
        count: MemoryAccess,
        wanted: Collection[MemoryAccess],
        by_data: Collection[MemoryAccess],
    ) -> None:
        self._threads = launch.launch.threads
        self._count = count
        self._wanted = wanted
        self._by_data = by_data
        self._stored: dict[MemoryAccess, Threads] = {}
        self._alone: dict[MemoryAccess, Threads] = {}  # with no barrier of the warp since
        self.found: tuple[MemoryAccess, int, int] | None = None

    def access(self, event: AccessEvent) -> None:
        """Only threads that are sure to come, or that data may let come."""
        access = event.access
        if access in self._wanted:
            threads = event.must | (event.may if access in self._by_data else 0)
            for stored in (self._stored, self._alone):
                stored[access] = stored.get(access, 0) | threads
        elif access is self._count and self.found is None and event.must and not event.may:
            self._compare(event.must)

    def _compare(self, threads: Threads) -> None:
        """Looks for a thread that has stored and does not count: in another warp, or in one."""
        counting = numbers(threads, self._threads)
        warps = {thread // WARP: thread for thread in reversed(counting)}
        for data, stored in self._stored.items():
            others = [t for t in numbers(stored, self._threads) if t // WARP not in warps]
            if others:
                self.found = (data, others[-1], counting[0])
                return
        for data, alone in self._alone.items():
            lanes = [t for t in numbers(alone & ~threads, self._threads) if t // WARP in warps]
            if lanes:
                self.found = (data, lanes[-1], warps[lanes[-1] // WARP])
                return

    def block_barrier(self, barrier: Operation) -> None:
        """All have stored what they had to."""
        self._stored.clear()
        self._alone.clear()

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """The lanes of some warps have met."""
        self._alone = {data: alone & ~threads for data, alone in self._alone.items()}
