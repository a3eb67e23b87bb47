"""Where a block is run, what is changed for it, and what a run tells those who watch.

The vocabulary of `execution.py`: plain values, and what an observer must answer to.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from ...ir.operation_kinds import WarpKind
from ...ir.operations import WarpOperation
from ...source.records import dataclass
from ..launch.allowance import METER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.operations import MemoryAccess, Operation
    from ...ir.tiles import Lines
    from ...ir.values import Value
    from ..warp_evaluation.facts import WarpLaunch
    from .thread_vectors import Threads, Vector

_LOOP_SHARE = 4  # a loop may take this part of the work that is left when it is entered
_INNER_SHARE = 2  # and one inside another this part of what that may take
_VALUES_PER_STEP = 5  # of single threads, for a step of the work that the kernel may cost


@dataclass(frozen=True, slots=True, eq=False)
class AccessEvent:
    """An access to memory executed once by some threads of a run; `iterations` are those of the
    loops around it.
    """

    access: MemoryAccess
    must: Threads
    may: Threads
    addresses: Vector
    stored: Vector
    iterations: tuple[int, ...]  # outermost loop first
    width: int | None  # bytes from each address on
    unchanged: Threads = 0  # those who put back what they have just loaded from there
    loaded_from: Vector = None  # where each thread has what it stores, if it only copies
    sources: Mapping[MemoryAccess, Vector] = field(default_factory=dict)  # of what is stored
    lines: Lines | None = None  # of a tile, which the lanes of a warp share


class Assumptions(Protocol):
    """The numbers and decisions taken in a run of a block for what is not known."""

    def number(self, value: Value, iterations: tuple[int, ...]) -> Vector:
        """A value that is the same for the whole block."""

    def takes_first(self, branch: Block, iterations: tuple[int, ...]) -> bool:
        """Whether a branch with an unknown, uniform condition takes its first way."""


class Observer(Protocol):
    """What wants to know of the accesses and barriers in a run of a block."""

    def access(self, event: AccessEvent) -> None:
        """Threads execute an access."""

    def block_barrier(self, barrier: Operation) -> None:
        """All threads of the block have met; what follows comes after what was before."""

    def unread_call(self, call: Operation) -> None:
        """All threads may have met in a call that was not read."""

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """These threads have met within their warps, or exchange values."""

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """A fence, or a wait for asynchronous copies, by the threads that come here.

        `often`: it stands in iterations that are not run, where there may have been more of them.
        """


class Unordered:
    """An observer of a run for which barriers and order make no difference."""

    def block_barrier(self, barrier: Operation) -> None:
        """Nothing."""

    def unread_call(self, call: Operation) -> None:
        """Perhaps a barrier."""
        self.block_barrier(call)

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """Nothing."""

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """Nothing."""


class ObserverGroup:
    """Two observers of one run of a block."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def access(self, event: AccessEvent) -> None:
        """Threads execute an access."""
        for each in self._observers:
            each.access(event)

    def block_barrier(self, barrier: Operation) -> None:
        """All threads of the block have met."""
        for each in self._observers:
            each.block_barrier(barrier)

    def unread_call(self, call: Operation) -> None:
        """All threads may have met in a call that was not read."""
        for each in self._observers:
            each.unread_call(call)

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """These threads have met within their warps."""
        for each in self._observers:
            each.warp_barrier(threads, operation)

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """A fence, or a wait for asynchronous copies."""
        for each in self._observers:
            each.fence(operation, often=often)


class WithoutExchanges:
    """An observer for which lanes only meet at barriers of the warp, not where they trade values,
    which orders no memory.
    """

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def access(self, event: AccessEvent) -> None:
        """Threads execute an access."""
        self._observer.access(event)

    def block_barrier(self, barrier: Operation) -> None:
        """All threads of the block have met."""
        self._observer.block_barrier(barrier)

    def unread_call(self, call: Operation) -> None:
        """All threads may have met in a call that was not read."""
        self._observer.unread_call(call)

    def warp_barrier(self, threads: Threads, operation: Operation) -> None:
        """These threads have met within their warps, not only traded values."""
        if not isinstance(operation, WarpOperation) or operation.kind is WarpKind.COLLECTIVE:
            self._observer.warp_barrier(threads, operation)

    def fence(self, operation: Operation, *, often: bool = False) -> None:
        """A fence, or a wait for asynchronous copies."""
        self._observer.fence(operation, often=often)


@dataclass(slots=True)
class Place:
    """The threads of a run that have come to a point of the kernel."""

    must: Threads = 0
    may: Threads = 0

    @property
    def threads(self) -> Threads:
        """All of them."""
        return self.must | self.may


@dataclass(slots=True)
class LoopProgress:
    """How far the threads of a run are in a loop that they have entered."""

    entered: int  # blocks that the run had come to before
    most_work: int  # what the run may come to before the loop is left out
    iteration: int = 0
    last: int | None = None  # iteration, once others were left out
    left: Threads = 0  # who perhaps left the loop


@dataclass(slots=True)
class Changes:
    """Barriers left out of a run, or set before operations, to see what difference they make."""

    without: frozenset[Operation] = frozenset()
    before: frozenset[Operation] = frozenset()
    before_by_warps: frozenset[Operation] = frozenset()  # barriers of the warp


@dataclass(slots=True)
class Outcome:
    """How far a run of a block came, and why no further."""

    stopped: str = ""  # why the rest was not run; empty for a run to the end
    #: The first loop that was left early, or had iterations left out, by its header; and in which
    #: iterations of it and the loops around it.
    cut_at: tuple[Block, tuple[int, ...]] | None = None
    parted: bool = False  # a decision that is not known was followed both ways
    work: int = 0
    #: Who came to each barrier of the block in which iterations of the loops around it, whether the
    #: others did or not.
    arrived: dict[Operation, dict[tuple[int, ...], Threads]] = field(default_factory=dict)

    @property
    def cut(self) -> bool:
        """Whether not all iterations of all loops were run."""
        return self.cut_at is not None

    def leave_out(self, header: Block, iterations: tuple[int, ...]) -> None:
        """Note that iterations of a loop are not run from here on."""
        self.cut_at = self.cut_at or (header, iterations)

    def arrive(self, barrier: Operation, iterations: tuple[int, ...], threads: Threads) -> None:
        """Note that these threads come to a barrier."""
        times = self.arrived.setdefault(barrier, {})
        times[iterations] = times.get(iterations, 0) | threads


@dataclass(slots=True)
class RunContext:
    """Where a run takes place: the launch, the block, the numbers assumed, and changed barriers."""

    launch: WarpLaunch
    index: Dimensions  # blockIdx
    assumptions: Assumptions
    changes: Changes = field(default_factory=Changes)
    limit: int = 1_500_000  # values of single threads that may be computed

    def __post_init__(self) -> None:
        """No run does more than the kernel may cost."""
        self.limit = int(min(self.limit, METER.left * _VALUES_PER_STEP))

    def share_of_loop(self, work: int, around: LoopProgress | None = None) -> int:
        """What the run may come to before a loop is left out that is entered after so much work. A
        loop inside another leaves something of what that may cost for its next iteration.
        """
        if around is None:
            return work + (self.limit - work) // _LOOP_SHARE
        return work + max(around.most_work - work, 0) // _INNER_SHARE

    def paid(self, outcome: Outcome) -> Outcome:
        """The outcome, whose work counts for the kernel."""
        METER.spend(outcome.work / _VALUES_PER_STEP)
        return outcome
