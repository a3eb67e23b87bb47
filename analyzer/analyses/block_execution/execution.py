"""Runs a kernel for all threads of one block at once, as far as its scenario is known.

In: a `BlockProgram`, a launch, the numbers assumed for what the launch does not say. Out: an
observer is told of every access with the addresses of all threads, of every barrier and warp
operation, in an order in which the block may execute them.
Threads that a branch splits meet again at its join; loops iterate in step; a barrier waits for all
threads that have not left the kernel, or for as many as it is for (`barrier_rendezvous.py`). A
condition that is not known but the same for the block is decided by the assumptions. One that may
differ between threads is followed both ways: until the join threads are there `maybe`, and what
depends on it is not known behind it. The run stops, and says so, at a barrier that splits the block
and when the work is used up. Not handled: cycles of two entries, contents of memory, floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.asynchronous import CopyBarrier
from ...ir.operation_kinds import CopyStep
from ...ir.operations import (
    WHOLE,
    AccessKind,
    Barrier,
    BarrierKind,
    Branch,
    Fence,
    Jump,
    MemoryAccess,
    Opcode,
    Operation,
    Switch,
    WarpOperation,
)
from ...ir.types import Kind
from ..warp_evaluation.reasons import OUT_OF_BUDGET
from ..warp_evaluation.uniformity import Uniformity
from .barrier_rendezvous import BarrierRendezvous, StopError
from .block_values import BlockValues
from .executed_access import event_of
from .found_values import FoundValues
from .loop_ends import TAIL
from .per_thread import PerThread
from .run_context import LoopProgress, Outcome, Place, RunContext
from .step_costs import ENTRY, SCALAR, TOUCH, TOUCHING, VECTOR
from .thread_vectors import everyone, is_known, size, split, threads_by_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.block import Block
    from ..dataflow.control_flow import Loop
    from .block_program import BlockProgram
    from .run_context import Observer
    from .run_plan import Region
    from .thread_vectors import Threads, Vector

_FEWEST = 2  # iterations of a loop that are run at any cost: what one leaves the next one meets


class BlockExecution:
    """One run of all threads of one block."""

    def __init__(self, program: BlockProgram, context: RunContext, observer: Observer) -> None:
        self._program = program
        self._plan = program.plan
        self._wanted = program.plan.wanted
        self._context = context
        self._observer = observer
        launch = context.launch.launch
        self.count = launch.threads
        self._all = everyone(self.count)
        self._values = BlockValues(program, launch, context.index, context.assumptions)
        self._pending: dict[Block, Place] = {program.kernel.blocks[0]: Place(self._all)}
        self._returning: dict[Block, Place] = {}  # to the headers of loops, for another iteration
        self._join_points = BarrierRendezvous(self._values, self.count)
        self._waiting = self._join_points.waiting
        self._changed = context.changes.before | context.changes.before_by_warps
        self._loops: dict[Block, LoopProgress] = {}  # by header
        self._blocks = 0  # come to so far
        self._passed: dict[Barrier, int] = {}  # how many it was when these were last passed
        self._meeting: dict[Block, Threads] = {}  # threads that are sure again at a join
        self._forgotten: dict[Block, list[tuple[tuple[Operation, ...], Threads]]] = {}
        self._found = FoundValues(program, context, self.count)
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Every thread as far as it goes."""
        try:
            if not self._plan.runs:
                raise StopError("a loop has two entries")
            while (block := self._next()) is not None:
                self._enter(block)
        except StopError as stop:
            self.outcome.stopped = str(stop)
        return self._context.paid(self.outcome)

    # ---- who is next -----------------------------------------------------------------------------

    def _next(self) -> Block | None:
        """The next block: the first in the order, but loops iterate before what follows them."""
        order, pending, returning = self._plan.order, self._pending, self._returning
        while True:
            if len(pending) == 1 and not returning:  # mostly
                return next(iter(pending))
            first = min(pending, key=order.__getitem__) if pending else None
            if returning:
                inner = max(returning, key=order.__getitem__)
                loop = self._plan.loop_at(inner)
                assert loop is not None
                if first is None or first not in loop.blocks:
                    if self._iterate(inner):
                        return inner
                    continue
            if first is not None:
                return first
            if not self._waiting:
                return None
            self._meet()

    def _iterate(self, header: Block) -> bool:
        """Another iteration of a loop, unless it has had its share of the work."""
        place = self._returning.pop(header)
        progress = self._loops[header]
        done, last, loop = progress.iteration + 1, progress.last, self._plan.loop_at(header)
        assert loop is not None
        iterations = self._program.iterations(loop) if last is None else last
        spent = last is None and done >= _FEWEST and self.outcome.work > progress.most_work
        if (iterations is not None and done > iterations) or spent:
            skipped = self._skip(loop, place) if last is None else None
            if skipped is None:
                self._cut(loop, place, known=iterations is None)
                return False
            done += skipped
            progress.last = done + TAIL
        progress.iteration = done
        self._pending[header] = place
        return True

    def _skip(self, loop: Loop, place: Place) -> int | None:
        """Leaves out iterations of a loop that counts evenly, up to its last ones; how many, None
        where it cannot.
        """
        spent = 2 * self.outcome.work > self._context.limit  # what is left is for what follows
        even = None if spent or self._waiting else self._program.even(loop)
        skipped = None if even is None else even.skipped(self._values.of, place.threads, self.count)
        if even is not None and skipped:
            self.outcome.leave_out(loop.header, self._iterations_at(loop.header))
            self._found.forget()
            new = [
                (p, even.moved(p, self._values.of, skipped, self.count)) for p in loop.header.phis
            ]
            for phi, value in new:
                self._values.assign(phi, value, place.threads, merge=True)
            self._pass_unseen(loop, place, again=True)
        return skipped

    def _cut(self, loop: Loop, place: Place, *, known: bool) -> None:
        """The threads leave a loop early, wherever they may: what it computed is not known."""
        self.outcome.leave_out(loop.header, self._iterations_at(loop.header))
        self._found.forget()
        region = self._plan.region_behind(loop)
        self._pass_unseen(loop, place, again=known)
        if len(region.ways) > 1:
            if region.join is None or region.waits:
                raise StopError("a loop has too many iterations")
            place = self._part(region, self._program.flow.loop_nest(loop.header)[1:], place)
        forgotten = (self._plan.outliving(loop), place.threads)
        for target in region.ways:
            self._forgotten.setdefault(target, []).append(forgotten)
            for phi in target.phis:
                self._values.assign(phi, None, place.threads, merge=True)
            self._arrive(target, place)

    def _pass_unseen(self, loop: Loop, place: Place, *, again: bool) -> None:
        """The barriers that no iteration came to yet, `if (i == 7) wait();`: one left out may have.
        Those that iterations came to only where there are more iterations for sure. Which copies
        are under way is not known.
        """
        for barrier in self._plan.waits_in(loop):
            if not again and self._passed.get(barrier, -1) >= self._loops[loop.header].entered:
                continue
            if self._is_barrier(barrier):
                self._observer.block_barrier(barrier)
            elif barrier.kind is BarrierKind.ASYNC_WAIT:
                self._observer.fence(barrier, often=True)
            elif barrier.kind not in WHOLE:
                self._synchronise(barrier, place)
        for barrier in self._plan.copy_groups_in(loop):
            self._observer.fence(barrier, often=True)

    def _meet(self) -> None:
        """Every thread that is left waits: some go on, or the run is over."""
        self._observer.block_barrier(self._wanted.step_at(*self._join_points.meet()))
        for site, place in self._join_points.leave():
            self._go_on(*site, place, met=True)

    # ---- blocks ----------------------------------------------------------------------------------

    def _enter(self, block: Block) -> None:
        place = self._pending.pop(block)
        self.outcome.work += ENTRY
        self._blocks += 1
        if (wait := self._join_points.let_others_go(place.threads)) is not None:
            self._observer.block_barrier(wait)
        for operations, threads in self._forgotten.pop(block, ()):
            for operation in operations:
                self._values.assign(operation, None, threads, merge=True)
        if self._meeting:
            meeting = self._meeting.pop(block, 0) & place.threads
            place = Place(place.must | meeting, place.may & ~meeting)
            for phi in block.phis if meeting else ():
                self._values.assign(phi, None, meeting, merge=True)
        self._go_on(block, 0, place)

    def _go_on(self, block: Block, start: int, place: Place, *, met: bool = False) -> None:
        """The steps of a block from `start`, then the way out."""
        steps = self._plan.steps[block]
        changed, outcome, limit = self._changed, self.outcome, self._context.limit
        values, known, waiting = self._values, self._values.known, self._waiting
        threads = place.threads
        everybody, vector = threads == self._all, VECTOR + self.count
        for number in range(start, len(steps)):
            operation, function, kept = steps[number]
            waits = function is None and operation.opcode is Opcode.BARRIER
            if waits or (changed and operation in changed):
                if not met and self._waits(block, number, place):
                    return
                done = self._pass(operation, place, met=met)
                met = False
                if done:
                    continue
            if function is None:
                self._affect(operation, place)
            else:
                result = function(values)
                outcome.work += vector if result.__class__ is PerThread else SCALAR
                if everybody or not (kept or waiting):
                    known[operation] = result
                else:
                    values.assign(operation, result, threads, merge=True)
            if outcome.work > limit:
                raise StopError(OUT_OF_BUDGET)
        last = block.terminator
        if changed and last in changed:
            if not met and self._waits(block, len(steps), place):
                return
            if last in self._context.changes.before_by_warps:
                self._observer.warp_barrier(place.threads, last)
        self._leave(block, place)

    def _waits(self, block: Block, step: int, place: Place) -> bool:
        """Whether threads wait before a step for others."""
        operation = self._wanted.step_at(block, step)
        if self._is_whole(operation):
            self.outcome.arrive(operation, self._iterations_at(block), place.threads)
            return not self._all_here(block, step, place)
        return self._waits_for_number(block, step, place)

    def _pass(self, operation: Operation, place: Place, *, met: bool) -> bool:
        """Threads go past a barrier, or what one was set before; whether that is all there is."""
        if operation in self._context.changes.before_by_warps:
            self._observer.warp_barrier(place.threads, operation)
        if isinstance(operation, Barrier):
            self._passed[operation] = self._blocks
        return met and not self._is_whole(operation)

    def _is_whole(self, operation: Operation) -> bool:
        """Whether the whole block waits before an operation."""
        return self._is_barrier(operation) or operation in self._context.changes.before

    def _is_barrier(self, operation: Operation) -> bool:
        return (
            isinstance(operation, Barrier)
            and operation.kind in WHOLE
            and operation.wait
            and operation not in self._context.changes.without
        )

    def _all_here(self, block: Block, step: int, place: Place) -> bool:
        """Whether the block can pass a barrier at once; else these threads wait."""
        if self._meeting:
            raise StopError("a barrier depends on an unknown condition")
        if not self._pending and not self._returning and not self._waiting:
            self._observer.block_barrier(self._wanted.step_at(block, step))
            return True
        self._join_points.wait((block, step), place)
        return False

    def _waits_for_number(self, block: Block, step: int, place: Place) -> bool:
        """Whether a part of the block waits at a barrier with a number."""
        barrier = self._wanted.step_at(block, step)
        if not isinstance(barrier, Barrier) or barrier.kind is not BarrierKind.NAMED:
            return False
        asked = self._join_points.numbered(barrier)
        if asked is None or not barrier.wait or place.threads == self._all:
            return False
        if self._meeting:
            raise StopError("a barrier depends on an unknown condition")
        self._join_points.wait((block, step), place, asked)
        return True

    # ---- edges -----------------------------------------------------------------------------------

    def _leave(self, block: Block, place: Place) -> None:
        last = block.terminator
        if isinstance(last, Jump):
            self._go(block, last.target, place)
        elif isinstance(last, Branch):
            condition = self._values.of(last.condition)
            self._branch(block, [last.then, last.otherwise], condition, place)
        elif isinstance(last, Switch):
            self._switch(block, last, place)

    def _branch(self, block: Block, ways: list[Block], condition: Vector, place: Place) -> None:
        then, otherwise, unknown = split(condition, place.threads, self.count)
        if unknown and self._is_uniform(block):
            first = self._context.assumptions.takes_first(block, self._iterations_at(block))
            then, otherwise = (then | unknown, otherwise) if first else (then, otherwise | unknown)
            unknown = 0
        for target, threads in zip(ways, (then, otherwise), strict=True):
            if threads:
                self._go(block, target, Place(place.must & threads, place.may & threads))
        if unknown:
            self._both_paths(block, Place(place.must & unknown, place.may & unknown))

    def _switch(self, block: Block, last: Switch, place: Place) -> None:
        selector = self._values.of(last.operands[0])
        rest = place
        if not is_known(selector) or any(value is None for value, _ in last.cases):
            if self._is_uniform(block):
                self._go(block, last.default, place)
            else:
                self._both_paths(block, place)
            return
        having = threads_by_value(selector, self.count)
        for value, target in last.cases:
            holds = having.get(value, 0)
            self._go(block, target, Place(rest.must & holds, rest.may & holds))
            rest = Place(rest.must & ~holds, rest.may & ~holds)
        self._go(block, last.default, rest)

    def _is_uniform(self, block: Block) -> bool:
        level = self._context.launch.uniformity.of_branch(block)
        return level <= Uniformity.BLOCK or self._plan.region(block).waits

    def _both_paths(self, block: Block, place: Place) -> None:
        """A decision that is not known: the threads may go either way until the join."""
        region = self._plan.region(block)
        perhaps = self._part(region, self._program.flow.loop_nest(block), place)
        for target in region.ways:
            self._go(block, target, perhaps)

    def _part(self, region: Region, loops: Sequence[Loop], place: Place) -> Place:
        """Threads in some loops are about to go some of the ways to where all these meet."""
        self.outcome.parted = True
        if region.join is not None:
            self._meeting[region.join] = self._meeting.get(region.join, 0) | place.must
            self._forgotten.setdefault(region.join, []).append((region.unknown, place.threads))
            for loop in loops:
                if not loop.blocks.issuperset(region.ways):
                    self._loops[loop.header].left |= place.threads
        return Place(0, place.threads)

    def _go(self, source: Block, target: Block, place: Place) -> None:
        """Threads take an edge: the phis behind it get their values."""
        edge = self._plan.edge(source, target)
        loop, back = edge.loop, edge.back
        if back:
            place = Place(place.must, place.may & ~self._loops[target].left)
        threads = place.threads
        if not threads:
            return
        if loop is not None and not back and target not in self._pending:
            around = self._plan.headers_around(target)[-2:-1]
            most = self._context.share_of_loop(self.outcome.work, *map(self._loops.get, around))
            self._loops[target] = LoopProgress(self._blocks, most)
        if edge.phis:
            new = [self._values.of(value) for _, value, _ in edge.phis]
            others = bool(target in self._pending or target in self._returning or self._waiting)
            if loop is not None and not others:
                others = any(block in loop.blocks for block in self._pending)
            for (phi, _, kept), value in zip(edge.phis, new, strict=True):
                self._values.assign(phi, value, threads, merge=others or kept)
        if back:
            returning = self._returning.setdefault(target, Place())
            returning.must |= place.must
            returning.may |= place.may & ~returning.must
        else:
            self._arrive(target, place)

    def _arrive(self, target: Block, place: Place) -> None:
        here = self._pending.setdefault(target, Place())
        here.must |= place.must
        here.may = (here.may | place.may) & ~here.must

    def _iterations_at(self, block: Block) -> tuple[int, ...]:
        around = map(self._loops.get, self._plan.headers_around(block))
        return tuple([0 if each is None else each.iteration for each in around])  # 0: left out

    # ---- operations ------------------------------------------------------------------------------

    def _affect(self, operation: Operation, place: Place) -> None:
        """What does more than compute a value."""
        if isinstance(operation, MemoryAccess):
            self._touch(operation, place)
        elif isinstance(operation, Barrier):
            self._synchronise(operation, place)
        elif isinstance(operation, WarpOperation):
            self._observer.warp_barrier(place.threads, operation)
            lanes = self._values.exchanged(operation, place)
            self._values.assign(operation, lanes, place.threads, merge=True)
        elif isinstance(operation, Fence):
            self._observer.fence(operation)
        else:  # a call, or what was not understood
            self._found.forget()
            self._program.unread_calls.meet(self._observer, operation, place.threads, self._values)
            self._values.assign(operation, None, place.threads, merge=True)

    def _synchronise(self, barrier: Barrier, place: Place) -> None:
        if barrier.kind is BarrierKind.WARP:
            self._observer.warp_barrier(place.threads, barrier)
        elif barrier.kind is BarrierKind.ASYNC_WAIT:
            steps = (CopyStep.WAIT_OLDEST, CopyStep.ACQUIRE)
            staged = isinstance(barrier, CopyBarrier) and barrier.step in steps
            parted = staged and place.must != self._all  # others may be ahead with their copies
            self._observer.fence(barrier, often=parted)
        elif barrier.kind in (BarrierKind.NAMED, BarrierKind.MBARRIER):
            arrives = None if barrier.wait else self._join_points.numbered(barrier)
            if barrier.kind is BarrierKind.NAMED and place.threads != self._all:
                if arrives is None:
                    raise StopError("parts of the block wait for each other at named barriers")
                self._join_points.arrive(arrives[0], place.threads)
                return
            if barrier.kind is BarrierKind.NAMED or barrier.wait or place.must != self._all:
                self._observer.block_barrier(barrier)  # who waits for whom is not worked out
                self._join_points.go_ahead(barrier, place.threads)
        if barrier.type.kind is not Kind.VOID:
            number = self._context.assumptions.number(barrier, self._iterations_at(barrier.block))
            popc = barrier.vote == "popc"
            self._values.assign(barrier, number if popc else None, place.threads, merge=True)

    def _touch(self, access: MemoryAccess, place: Place) -> None:
        event = event_of(access, place, self._values, self._iterations_at(access.block))
        self._observer.access(event)
        self._found.note(event)
        self.outcome.work += TOUCH + TOUCHING * size(place.threads)
        if access.kind is AccessKind.STORE or access not in self._wanted.needed:
            return
        kept = access in self._wanted.kept
        self._values.assign(access, self._found.of(event), place.threads, merge=kept)
