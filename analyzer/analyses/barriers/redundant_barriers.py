"""Barriers that order nothing: left out, no two threads of the block touch what the other did.

In: a kernel's facts. Out: the barriers that can go, all of them together. For each, the accesses
that may come before it since another barrier of the block, and those that may come after it until
another one, on all ways through loops and calls: without it these and no others lose their order.
The barrier is redundant when no pair of them, one writing, can lead two threads to one byte: they
touch different arrays, or `thread_residues.py` gives every thread places of its own. The block is
then run without the barriers, and no race may appear that was not there (`block_races.py`).
Nothing is said where more than memory may depend on a barrier: calls and statements that were not
read, names that nothing declares (macros, perhaps), asynchronous copies, other kinds of barriers,
and atomics, fences or volatile accesses on one side of it, by which a thread may speak for its
block; nor of barriers in functions that kernels call, whose other callers may need them; nor of one
that comes before some threads leave, whose stores the next one does not order, or that threads of
a larger block than the guessed one may answer with another barrier. Different pointers
passed to a kernel are taken to lead to different arrays, unless in one array the two accesses would
be known to meet.
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    Branch,
    Call,
    Compare,
    Fence,
    MemoryAccess,
    OpaqueOperation,
    Operation,
    Pure,
    WarpOperation,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import Special, SpecialRegister, Undeclared, whole_number
from ...source.records import dataclass
from ..block_execution.run_context import Changes
from ..block_execution.thread_residues import ThreadResidues
from ..block_shape.block_size_guesses import is_block_size
from ..conflicts.race_kinds import RaceKind
from ..dataflow.paths import operations_after
from ..launch.allowance import METER
from ..pointers.provenance import comparisons
from ..warp_evaluation.never_reached import is_never_reached
from ..warp_evaluation.uniformity import Uniformity
from .barrier_divergence import divergent_barriers, leaving_decisions

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.block import Block
    from ...ir.kernel import Kernel
    from .facts import BarrierFacts, BarrierLaunch

_PRIVATE = frozenset({Space.LOCAL, Space.CONSTANT, Space.PARAMETER, Space.REGISTER, Space.TEXTURE})
_PLAIN = frozenset({AccessKind.LOAD, AccessKind.STORE})
_READING = frozenset({AccessKind.MATRIX_LOAD, AccessKind.PREFETCH})
_OTHER_BARRIERS = frozenset(
    {
        BarrierKind.NAMED,
        BarrierKind.MBARRIER,
        BarrierKind.ASYNC_WAIT,
        BarrierKind.CLUSTER,
        BarrierKind.GRID,
    }
)
_TIMING = frozenset({Function.CLOCK, Function.SLEEP})
_PAIRS = 400  # on both sides of one barrier
_PAIRS_IN_ALL = 6_000  # of all barriers of a kernel
_STEPS = 4  # of the kernel's work, for each operation on the paths around a barrier
_INSTANCES = 8  # of one kernel that are compared
_LARGEST = (1024, 1, 1)


class Gap(Enum):
    """Why a barrier orders nothing: what stands before and after it."""

    BEFORE = "nothing before it"
    AFTER = "nothing after it"
    APART = "places that other threads do not touch"


@dataclass(frozen=True, slots=True)
class RedundantBarrier:
    """A barrier that orders nothing."""

    barrier: Barrier
    gap: Gap
    arrays: tuple[str, ...]  # touched on both sides, by the same thread each time
    kept_apart: tuple[tuple[str, str], ...]  # pointers taken to lead to different arrays
    neighbours: tuple[Barrier, ...]  # those between which and this one nothing is accessed
    launch: BarrierLaunch | None  # whose block it holds for; None when it holds for any


def redundant_barriers(facts: BarrierFacts) -> tuple[RedundantBarrier, ...]:
    """The barriers of a kernel that order nothing and can go, all together, in program order."""
    found = _without_need(facts) if facts.runs_blocks else ()
    others = _other_instances(facts) if found else None
    if others is None or any(race.kind is not RaceKind.EQUAL_WRITES for race in facts.races):
        return ()  # a barrier is missing, or in the wrong place
    found = _in_all_instances(facts, found, others)
    changes = Changes(without=frozenset(each.barrier for each in found))
    for races in facts.block_races:
        for run in races.runs.scenarios:
            changed = races.runs.again(run.scenario, changes)
            if changed.seen.cut_short or not changed.seen.meeting <= run.seen.meeting:
                return ()
    return tuple(sorted(found, key=lambda each: each.barrier.location.span.start))


def _other_instances(facts: BarrierFacts) -> list[Kernel] | None:
    """The other instances of the same template; None where not all are looked at."""
    kernel = facts.kernel
    alike = facts.instances
    if len(alike) > _INSTANCES + 1 or any(each.other_instances for each in alike):
        return None
    return [other for other in alike if other is not kernel]


def _in_all_instances(
    facts: BarrierFacts, found: tuple[RedundantBarrier, ...], others: list[Kernel]
) -> tuple[RedundantBarrier, ...]:
    """Those that no other instance of the same template needs."""
    for other in others:
        alike = facts.of_kernel(other)
        own = _without_need(alike)
        spans = {each.barrier.location.span for each in own}
        needed = {each.location.span for each in alike.every(Barrier)} - spans
        found = tuple(each for each in found if each.barrier.location.span not in needed)
    return found


# ---- one kernel ----------------------------------------------------------------------------------


def _without_need(facts: BarrierFacts) -> tuple[RedundantBarrier, ...]:
    """The barriers that go one after the other, the last one first."""
    kernel = facts.kernel
    barriers = [each for each in facts.every(Barrier) if _can_go(each)]
    if not barriers or kernel.status != "full" or facts.flow.irreducible_regions:
        return ()
    if _has_other_barriers(facts) or divergent_barriers(facts):
        return ()
    view = _View(facts)
    found: list[RedundantBarrier] = []
    for barrier in reversed(barriers):
        judged = view.judge(barrier) if _is_reached(facts, barrier) else None
        if judged is not None:
            found.append(judged)
            view.gone.add(barrier)
    needed = {
        _site(each)
        for each in facts.every(Barrier)
        if each.kind is BarrierKind.BLOCK and each not in view.gone
    }
    return tuple(each for each in found if _site(each.barrier) not in needed)


def _is_reached(facts: BarrierFacts, barrier: Barrier) -> bool:
    """Whether any launch comes to a barrier: one for larger blocks only is not judged by others,
    nor by the instance of a template that has a single thread.
    """
    return any(
        not (launch.launch.threads == 1 and facts.kernel.instance)
        and not is_never_reached(launch, barrier.block)
        and any(
            any(launch.guards(launch.evaluator(warp)).of(barrier.block).mask)
            for warp in launch.warps()
        )
        for launch in facts.launches
    )


def _site(barrier: Barrier) -> Hashable:
    """Where a barrier was written: unrolled loops and macros make copies."""
    origin = barrier.location.origin
    return barrier.location.span if origin is None else origin


def _can_go(barrier: Barrier) -> bool:
    """Whether it is nothing but a barrier of the block, written in the kernel itself."""
    plain = barrier.arrive and barrier.wait and not barrier.vote and barrier.count is None
    own = barrier.location.inlined_at is None
    return barrier.kind is BarrierKind.BLOCK and plain and own and _is_full(barrier)


def _is_full(barrier: Barrier) -> bool:
    """Not one that stands for what a library does, which touches memory of its own."""
    return not barrier.library


def _has_other_barriers(facts: BarrierFacts) -> bool:
    """Whether more than barriers of the block and plain accesses order the kernel's threads."""
    if any(variable.fragment for variable in facts.kernel.variables):
        return True  # nothing that is read takes their loads, which are dropped like unused ones
    for operation in facts.kernel.operations():
        if _tells_time(operation):
            return True
        if any(isinstance(each, Undeclared) for each in operation.operands):
            return True
        if isinstance(operation, Barrier) and operation.kind is not BarrierKind.WARP:
            if operation.kind in _OTHER_BARRIERS or not _is_full(operation) or operation.count:
                return True
        elif isinstance(operation, MemoryAccess) and operation.kind is AccessKind.ASYNC_COPY:
            return True
    return False


def _asks_for_size(facts: BarrierFacts) -> bool:
    """Whether a kernel compares the size of its block with numbers: it is made for several."""
    for block in facts.kernel.blocks:
        last = block.terminator
        for part in comparisons(last.condition) if isinstance(last, Branch) else ():
            sides = [unconverted(each) for each in part.operands]
            sizes = list(map(is_block_size, sides))
            if any(sizes) and any(whole_number(each) is not None for each in sides):
                return True
    return False


@dataclass(frozen=True, slots=True)
class _Side:
    """What may come before or after a barrier, up to another one."""

    accesses: tuple[MemoryAccess, ...]
    opaque: bool  # something may happen there that is not known
    signals: bool  # something there speaks to other blocks, or waits for them
    leaving: bool  # a part of the block may leave the kernel there, before another barrier
    neighbours: tuple[Barrier, ...]


class _View:
    """A kernel without the barriers that are gone."""

    def __init__(self, facts: BarrierFacts) -> None:
        self._facts = facts
        self.gone: set[Operation] = set()
        self._residues: dict[BarrierLaunch, ThreadResidues] = {}
        self._left = _PAIRS_IN_ALL

    @cached_property
    def _leaving(self) -> set[Block]:
        return leaving_decisions(self._facts)

    def judge(self, barrier: Barrier) -> RedundantBarrier | None:
        """What makes a barrier redundant, or None."""
        if self._may_have_counterparts(barrier):
            return None
        before, after = self._side(barrier, back=True), self._side(barrier, back=False)
        if before.opaque or after.opaque:
            return None
        if before.accesses and after.leaving:
            return None  # the next barrier says nothing of what threads did that are gone
        for side, gap in ((before, Gap.BEFORE), (after, Gap.AFTER)):
            if not side.accesses and not side.signals:
                return RedundantBarrier(barrier, gap, (), (), side.neighbours, None)
        if before.signals or after.signals:
            return None
        return self._judge_pairs(barrier, before, after)

    def _judge_pairs(
        self, barrier: Barrier, before: _Side, after: _Side
    ) -> RedundantBarrier | None:
        meeting = (
            (first, second)
            for first in before.accesses
            for second in after.accesses
            if (first.writes or second.writes) and self._may_meet(first, second)
        )
        pairs = list(islice(meeting, _PAIRS + 1))
        self._left -= len(pairs)
        if self._left < 0:
            self._facts.unfinished.add("there is too much to compare")
        if len(pairs) > _PAIRS or self._left < 0:
            return None
        same = [pair for pair in pairs if not self._differ(*pair)]
        others = [pair for pair in pairs if self._differ(*pair)]
        launches = self._launches()
        if same and launches is None:
            return None
        for launch in launches or ():
            residues = self._of(launch)
            if not all(residues.never_meet(*pair) for pair in same):
                return None
            if any(self._would_meet(residues, *pair) for pair in others):
                return None
        if others and self._asks_for_pointers(barrier):
            return None
        arrays = dict.fromkeys(name for pair in same for name in self._names(pair[0]))
        apart = dict.fromkeys(
            (one, other)
            for first, second in others
            for one in self._names(first)
            for other in self._names(second)
        )
        shown = self._facts.launches[0] if same else None
        return RedundantBarrier(barrier, Gap.APART, tuple(arrays), tuple(apart), (), shown)

    def _asks_for_pointers(self, barrier: Barrier) -> bool:
        """`if (out == in) __syncthreads();`: it is there for pointers that are the same."""
        conditions = (
            edge.branch.terminator.operands[0]
            for edge in self._facts.flow.controlling_edges(barrier.block)
        )
        return any(isinstance(e, Compare) and e.compared.kind is Kind.POINTER for e in conditions)

    def _launches(self) -> list[BarrierLaunch] | None:
        """The launches it must hold for; None when the shape of the block is not known."""
        launches = list(self._facts.launches)
        if not all(launch.launch.trusted for launch in launches):
            return None
        if launches[0].launch.guessed or _asks_for_size(self._facts):
            launches.append(self._larger)
        return launches

    @cached_property
    def _larger(self) -> BarrierLaunch:
        """The largest block, for kernels that are made for several."""
        return self._facts.launches[0].with_block(_LARGEST)

    def _may_have_counterparts(self, barrier: Barrier) -> bool:
        """Whether a block larger than the one that was guessed parts before a barrier: the other
        threads may count barriers of their own, as many as there are on this way.
        """
        if not self._facts.launches[0].launch.guessed:
            return False
        return any(
            self._larger.uniformity.of_branch(edge.branch) >= Uniformity.WARP
            and self._facts.alternative_paths.may_meet_barrier(edge)
            for edge in self._facts.flow.controlling_edges(barrier.block)
        )

    def _of(self, launch: BarrierLaunch) -> ThreadResidues:
        if launch not in self._residues:
            self._residues[launch] = ThreadResidues(launch)
        return self._residues[launch]

    # ---- pairs -----------------------------------------------------------------------------------

    def _may_meet(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        ours, theirs = (self._facts.points_to.of(each.address) for each in (first, second))
        if None in ours | theirs or not ours or not theirs or ours & theirs:
            return True
        return any(one.pointee and other.pointee for one in ours for other in theirs)  # type: ignore[union-attr]

    def _differ(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        """Whether they go through different pointers, known ones."""
        ours, theirs = (self._facts.points_to.of(each.address) for each in (first, second))
        return bool(ours and theirs) and None not in ours | theirs and not ours & theirs

    def _would_meet(
        self, residues: ThreadResidues, first: MemoryAccess, second: MemoryAccess
    ) -> bool:
        """Whether different threads are known to meet if both pointers lead to one array."""
        known = residues.tells_threads_apart(first) and residues.tells_threads_apart(second)
        return known and not residues.never_meet(first, second)

    def _names(self, access: MemoryAccess) -> list[str]:
        targets = self._facts.points_to.of(access.address)
        return sorted(item.name.removeprefix("*") for item in targets if item is not None)

    # ---- what lies around a barrier --------------------------------------------------------------

    def _side(self, barrier: Barrier, *, back: bool) -> _Side:
        accesses: list[MemoryAccess] = []
        opaque = signals = leaving = False
        neighbours: dict[Barrier, None] = {}
        for operation in self._around(barrier, back=back):
            METER.left -= _STEPS
            if operation is barrier:
                continue  # in another iteration of a loop
            if isinstance(operation, Barrier) and self._stops(operation):
                neighbours[operation] = None
                continue
            opaque |= _is_opaque(operation) or self._leads_elsewhere(operation)
            leaving |= isinstance(operation, Branch) and operation.block in self._leaving
            if isinstance(operation, Fence):
                signals = True
            elif isinstance(operation, MemoryAccess):
                if self._facts.points_to.spaces(operation) <= _PRIVATE:
                    continue
                accesses.append(operation)
                weak = operation.kind in _PLAIN | _READING
                signals |= not weak or operation.volatile or bool(operation.scope)
        return _Side(tuple(accesses), opaque, signals, leaving, tuple(neighbours))

    def _leads_elsewhere(self, operation: Operation) -> bool:
        """Whether an address of memory that threads share goes where it cannot be followed."""
        if not isinstance(operation, Pure | WarpOperation):
            return False
        targets = (each for value in operation.operands for each in self._facts.points_to.of(value))
        return any(each is not None and each.space not in _PRIVATE for each in targets)

    def _stops(self, operation: Operation) -> bool:
        return (
            isinstance(operation, Barrier)
            and operation.kind is BarrierKind.BLOCK
            and operation.wait
            and operation not in self.gone
        )

    def _around(self, barrier: Barrier, *, back: bool) -> Iterator[Operation]:
        """The operations on all paths to or from a barrier, the barriers that end them included."""

        def ends(operation: Operation) -> bool:
            return operation is not barrier and self._stops(operation)

        return operations_after(barrier, ends, back=back)


def _is_opaque(operation: Operation) -> bool:
    """Whether more than memory may depend on an operation, or nobody knows what does."""
    if isinstance(operation, Call | OpaqueOperation):
        return True
    # Or threads that happen to be there.
    return isinstance(operation, WarpOperation) and operation.mask is None


def _tells_time(operation: Operation) -> bool:
    """Whether it reads a clock, in PTX perhaps long after; a barrier is there to measure from."""
    if isinstance(operation, Pure) and operation.function in _TIMING:
        return True
    return any(
        isinstance(operand, SpecialRegister) and operand.register is Special.CLOCK
        for operand in operation.operands
    )
