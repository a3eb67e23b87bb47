"""Races of a block: conflicts with two named threads, sorted by what is missing.

In: a kernel's facts. Out: `Race` values, each with the two threads, the numbers assumed and whether
it is definite. A block of each launch is run in three courses (`block_runs.py`); a conflict
whose addresses hang on an assumed number must show up in every course that executes both accesses.
A race is only possible where the two threads are there by decisions that are not known, the block
shape is a guess and nothing shows that more than one warp takes part, or accesses are volatile.
Blocks are compared in `grid_races.py`. Not handled: most accesses whose addresses come from memory,
see `updates.py` and `indirect_addresses.py`; aliasing parameters count as different objects.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import MemoryAccess, Opcode, Operation, unconverted
from ...ir.types import Kind
from ...ir.values import Parameter, Special, whole_number
from ..block_execution.assumed_numbers import AssumedNumbers, Course
from ..block_execution.block_program import lies_by_grid
from ..block_shape.block_inference import thread_axes
from ..block_shape.size_guards import SizeGuards
from ..conflicts.block_runs import BlockRuns, assumes
from ..conflicts.equal_stores import come_from_one_place, own_store, sets_flag
from ..conflicts.updates import adds_constant, is_read_before_barrier, is_update_of, repeats
from ..dataflow.slices import computed_from
from ..doubts.assumed_size_artifacts import is_for_other_numbers
from ..doubts.block_shrinking import SmallerBlocks
from ..doubts.checked_counters import is_checked_count
from ..doubts.contended_updates import is_gathered
from ..doubts.dead_reads import is_unasked, only_reads
from ..doubts.optimistic_reads import is_peek
from ..doubts.repeated_bounds import is_repeated_bound
from ..doubts.reset_flags import is_reset
from ..doubts.uniform_destinations import shares_place
from ..doubts.volatile_scratch import is_scratch
from ..pointers.memory_model import is_lost_store
from ..pointers.provenance import (
    asks_untyped,
    comparisons,
    differs,
    is_data,
    is_unknown,
    orders,
    reads_memory,
)
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.uniformity import Uniformity
from .race_kinds import Race, RaceKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.values import Value
    from ..block_execution.access_events import Conflict, Touch
    from ..conflicts.block_runs import BlockRun
    from ..dataflow.control_flow import Loop
    from ..facts import KernelFacts
    from ..warp_evaluation.facts import LaunchFacts

TRIALS = 6
VOLTA = 70  # from here on the lanes of a warp run on their own
#: What the lanes of a warp do one after the other, when they run in step.
_BY_STEPS = frozenset({RaceKind.WARP_BARRIER, RaceKind.BARRIER, RaceKind.BARRIER_IN_LOOP})


class BlockRaces:
    """The races of one launch."""

    def __init__(self, launch: LaunchFacts) -> None:
        self.launch = launch
        self.runs = BlockRuns(launch)
        self.program = self.runs.program
        self.tracked = self.runs.tracked
        self.trials = TRIALS  # places for barriers that may still be tried out
        self._smaller = SmallerBlocks(self)
        self._on_template: dict[MemoryAccess, bool] = {}
        self._deciding: dict[tuple[MemoryAccess, bool], frozenset[Value]] = {}

    @cached_property
    def between_blocks(self) -> tuple[Race, ...]:
        """The races of threads of different blocks."""
        from .grid_races import GridRaces

        return GridRaces(self).found

    @cached_property
    def found(self) -> tuple[Race, ...]:
        """Every race, the definite ones with the better witness."""
        races: dict[tuple[MemoryAccess, MemoryAccess], Race] = {}
        for run in self.runs.courses:
            for alike, conflicts in ((False, run.seen.found), (True, run.seen.equal)):
                for key, conflict in conflicts.items():
                    race = self._judge(run, conflict, alike=alike)
                    known = races.get(key)
                    if race is not None and (known is None or race.definite > known.definite):
                        races[key] = race
        return tuple(races.values())

    def _judge(self, run: BlockRun, conflict: Conflict, *, alike: bool) -> Race | None:
        first, second = conflict.first, conflict.second
        loop = self._loop_between(conflict)
        if alike and first.access in self.launch.facts.updates:
            return None  # no value of its own: what it writes back was read before
        if is_peek(self.launch.facts, first.access, second.access):
            return None
        if is_unasked(self.launch.facts, conflict, self.launch.launch.threads):
            return None
        if is_repeated_bound(self.launch, first.access, second.access, Uniformity.BLOCK):
            return None
        kind = self._kind(conflict, loop, alike=alike)
        if kind in _BY_STEPS and conflict.same_warp and self.launch.facts.options.arch < VOLTA:
            return None
        accesses = (first.access, second.access)
        assumed = self.assumed_by(run.numbers, accesses, loops=True)
        decisive = self.assumed_by(run.numbers, accesses, loops=False)
        definite = self._is_definite(run, conflict, kind)
        return Race(kind, conflict, self, assumed, decisive, definite, loop)

    def _kind(self, conflict: Conflict, loop: Loop | None, *, alike: bool) -> RaceKind:
        first, second = conflict.first.access, conflict.second.access
        if alike:
            return RaceKind.EQUAL_WRITES
        if loop is None and self._both_update(conflict):
            return RaceKind.UPDATE
        if is_checked_count(self.launch.facts, first, second):
            return RaceKind.CHECK
        if first is second and loop is None:
            return RaceKind.WRITES
        by_steps = first.volatile and second.volatile  # as before there was `__syncwarp()`
        if conflict.same_warp and (by_steps or self._is_by_warps()):
            return RaceKind.WARP_BARRIER
        return RaceKind.BARRIER if loop is None else RaceKind.BARRIER_IN_LOOP

    def _both_update(self, conflict: Conflict) -> bool:
        """Whether two threads make one update, and not one of them while the other looks on."""
        facts, count = self.launch.facts, self.launch.launch.threads
        first, second = conflict.first, conflict.second
        return (
            is_update_of(facts.updates, first.access, second.access)
            and not (
                only_reads(facts, first, second, count) or only_reads(facts, second, first, count)
            )
            and not is_read_before_barrier(facts, second.access)
        )

    def _is_by_warps(self) -> bool:
        """Whether the block's shape lets its author think in warps: rows of whole warps."""
        x, y, z = self.launch.launch.block
        return y * z == 1 or x % WARP == 0

    def repeats(self, store: MemoryAccess, level: Uniformity) -> bool:
        """Whether all threads of a block or a grid make an update that makes no difference."""
        return repeats(store, self.launch.facts.updates, self.launch.uniformity, level)

    def leaves_in_smaller_blocks(self, run: BlockRun, access: MemoryAccess) -> bool:
        """Whether an access leaves its array in any block that the array may be made for."""
        return self._smaller.leave(run.course, access, run.seen.outside[access].item)

    def _loop_between(self, conflict: Conflict) -> Loop | None:
        """The loop around both accesses in whose rounds they differ."""
        flow = self.program.flow
        first, second = conflict.first, conflict.second
        ours, theirs = (flow.loop_nest(_block(touch.access)) for touch in (first, second))
        for place, (one, other) in enumerate(zip(reversed(ours), reversed(theirs), strict=False)):
            if one is not other:
                return None
            if first.visit.rounds[place] != second.visit.rounds[place]:
                return one
        return None

    # ---- how sure --------------------------------------------------------------------------------

    def _is_definite(self, run: BlockRun, conflict: Conflict, kind: RaceKind) -> bool:
        first, second = conflict.first, conflict.second
        accesses = (first.access, second.access)
        if kind is RaceKind.UPDATE and self.repeats(second.access, Uniformity.BLOCK):
            return False  # a bit that everybody sets
        if kind is RaceKind.WRITES and not self._writes_differ(first, second):
            return False
        if kind is RaceKind.EQUAL_WRITES and not sets_flag(conflict):
            return False  # does no harm, and there is no shorter way to say it
        own = None if second.access.writes else own_store(first, second, self.launch.launch.threads)
        if own is not None and not self._leaves_own(first, own):
            return False  # it may well read what it has stored itself
        volatile = any(access.volatile for access in accesses)
        lost = first.sure and second.sure and is_lost_store(*accesses)
        certain = conflict.same_warp or lost or self._leaves_lock(*accesses)
        if volatile and not certain and not is_scratch(self.launch.facts, conflict):
            return False
        launch = self.launch.launch
        if run.seen.left_arrays and launch.origin != "--block":
            return False  # most likely not the block that the kernel is made for
        if self._is_for_one_thread:
            return False
        if (launch.unsettled or launch.inferred) and not self._smaller.show(run, conflict):
            return False
        if not self._are_free(run, conflict, kind):
            return False
        if self.launch.facts.critical_sections.may_order(*accesses):
            return False
        if is_for_other_numbers(self, conflict):
            return False
        if self.tracked.are_led(accesses) or any(map(self._hangs_on_template, accesses)):
            return False
        if any(self.program.hangs_on_assumed(access.address) for access in self._placed(accesses)):
            return self._holds_for_other_numbers(accesses)
        return True

    @cached_property
    def _is_for_one_thread(self) -> bool:
        return self.launch.launch.guessed and not thread_axes(self.launch.facts)

    def _leaves_lock(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        """Whether one of two accesses holds a lock, and the other one writes without any."""
        sections = self.launch.facts.critical_sections
        return any(
            sections.is_guarded(one) and other.writes and not sections.is_guarded(other)
            for one, other in ((first, second), (second, first))
        )

    def _placed(self, accesses: tuple[MemoryAccess, ...]) -> list[MemoryAccess]:
        """Those whose place is computed, and not wherever data leads."""
        return [access for access in accesses if access not in self.tracked.anywhere]

    def _holds_for_other_numbers(self, pair: tuple[MemoryAccess, MemoryAccess]) -> bool:
        """Whether a conflict shows up in every course, or for all sizes that guards let through."""
        if not assumes(self.runs.courses[0]):
            return True  # what is loaded, the block has stored itself
        if any(lies_by_grid(each.address) for each in pair) and pair not in self._wide.seen.found:
            return False  # as far apart as a larger grid is wide
        both = [r for r in self.runs.courses if set(pair) <= r.seen.executed]
        if len(both) > 1 and all(pair in r.seen.found for r in both):
            # Where the work was too much with different sizes, small ones that differ must do.
            differ = any(r.course in (Course.DIFFERENT, Course.ODD) for r in both)
            return differ or pair in self._uneven.seen.found
        small = [r for r in both if r.course is Course.SMALL]
        if not small or pair not in small[0].seen.found or not self._guards.hold(*pair):
            return False
        return pair in self._uneven.seen.found

    @cached_property
    def _wide(self) -> BlockRun:
        """The run of a block in a large grid."""
        return self.runs.again(Course.WIDE)

    @cached_property
    def _guards(self) -> SizeGuards:
        return SizeGuards(self.program)

    @cached_property
    def _uneven(self) -> BlockRun:
        """The run that confirms what small sizes show."""
        return self.runs.again(Course.UNEVEN)

    def index_of(self, touch: Touch) -> dict[Special, int]:
        """What tells a thread from the others of its block."""
        x, y, _ = self.launch.launch.block
        thread = touch.thread
        return {
            Special.THREAD_X: thread % x,
            Special.THREAD_Y: thread // x % y,
            Special.THREAD_Z: thread // (x * y),
            Special.LANE: thread % WARP,
            Special.WARP: thread // WARP,
        }

    def hangs_on_numbers(self, access: MemoryAccess) -> bool:
        """Whether an assumed number has a part in where an access goes, or if it is executed."""
        decisions = self.program.flow.controlling_edges(_block(access))
        values = [access.address, *(edge.branch.terminator.operands[0] for edge in decisions)]
        return any(map(self.program.hangs_on_assumed, values))

    def _hangs_on_template(self, access: MemoryAccess) -> bool:
        """Whether an argument that is not known, such as the block's size, has a part in it, or a
        number that is a reciprocal, a mask or a distance of bits, which no chosen number is:
        `__umulhi(i, n.reciprocal) >> n.shift`, `i & mask[1]`.
        """
        if access not in self._on_template:
            parts = self._decides(access, loops=True)
            self._on_template[access] = any(is_unknown(e) or self._is_peculiar(e) for e in parts)
        return self._on_template[access]

    def is_peculiarly_placed(self, access: MemoryAccess) -> bool:
        """Whether an assumed number that only some would do for has a part in where it goes."""
        return any(map(self._is_peculiar, computed_from(access.address)))

    def _is_peculiar(self, value: Value) -> bool:
        """Whether an assumed number stands where only some numbers make sense."""
        if not isinstance(value, Operation) or not self.program.hangs_on_assumed(value):
            return False
        if value.opcode is Opcode.AND and value.type.kind is Kind.INTEGER:
            # `n & 3` is a remainder, as compilers write it.
            remainder = any(whole_number(each) is not None for each in value.operands)
            masks = (isinstance(unconverted(e), Parameter | MemoryAccess) for e in value.operands)
            return not remainder and any(masks)
        if value.opcode in (Opcode.SHL, Opcode.SHR):
            return self.program.hangs_on_assumed(value.operands[1])
        return value.opcode is Opcode.MUL_HIGH

    def _writes_differ(self, first: Touch, second: Touch) -> bool:
        """Whether two stores are known to write different values."""
        if come_from_one_place(first, second):
            return False  # the number of each load is ours
        if first.stored is not None and second.stored is not None:
            return first.stored != second.stored
        return differs(second.access.operands[1], *map(self.index_of, (first, second)))

    def _leaves_own(self, store: Touch, own: Touch) -> bool:
        """Whether a store leaves at one place what is another thread's own, and not this one's."""
        indices = self.index_of(store), self.index_of(own)
        if self._writes_differ(store, own) or is_reset(self.launch.facts, store.access):
            return True
        return shares_place(self.launch, store.access, *indices)

    def _are_free(self, run: BlockRun, conflict: Conflict, kind: RaceKind) -> bool:
        """Whether both threads can be where they are at once."""
        first, second = conflict.first, conflict.second
        accesses = (first.access, second.access)
        decided = [
            {e.branch for e in self.program.flow.controlling_edges(_block(touch.access))}
            & run.numbers.decided.keys()
            for touch in (first, second)
        ]
        if len(decided[0] | decided[1]) > 1 and decided[0] != decided[1]:
            return False
        unsure = [touch for touch in (first, second) if not touch.sure]
        if any(asks_untyped(c) for touch in unsure for c in self._open_conditions(run, touch)):
            return False
        conditions = [list(self._unknown_conditions(run, touch)) for touch in unsure]
        counting = kind in (RaceKind.UPDATE, RaceKind.CHECK)
        if unsure and conflict.item.space is not Space.SHARED and not counting:
            return False  # a flag that anybody may set: meant so more often than not
        points_to = self.launch.facts.points_to
        if not all(is_data(condition, points_to) for each in conditions for condition in each):
            return False
        if len(unsure) < 2:
            return True
        if kind is RaceKind.CHECK:
            return all(
                map(orders, (c for some in conditions for e in some for c in comparisons(e)))
            )
        if counting:  # nobody counts what comes once
            store = second.access
            constant = adds_constant(store, self.launch.facts.updates.get(store, frozenset()))
            return constant or is_gathered(self, store, *accesses)
        alone = len(conditions[0]) == 1  # two of them often pick out a single thread
        return first.access is second.access and alone and orders(conditions[0][0])

    def _unknown_conditions(self, run: BlockRun, touch: Touch) -> Iterator[Value]:
        return filter(reads_memory, self._open_conditions(run, touch))

    def _open_conditions(self, run: BlockRun, touch: Touch) -> Iterator[Value]:
        """What decides if a thread comes to an access, but for what was decided for the block."""
        for edge in self.program.flow.controlling_edges(_block(touch.access)):
            if edge.branch not in run.numbers.decided:
                yield edge.branch.terminator.operands[0]

    def assumed_by(
        self, numbers: AssumedNumbers, accesses: tuple[MemoryAccess, MemoryAccess], *, loops: bool
    ) -> tuple[tuple[Value, int], ...]:
        """The assumed numbers that addresses, guards and perhaps loops of the two hang on."""
        values = [self._decides(access, loops=loops) for access in accesses]
        return tuple(
            (value, number)
            for value, number in numbers.used.items()
            if any(value in each for each in values)
        )

    def _decides(self, access: MemoryAccess, *, loops: bool) -> frozenset[Value]:
        """All that has a part in where an access goes, or if a thread comes to it."""
        key = (access, loops)
        if key not in self._deciding:
            edges = self.program.flow.controlling_edges(_block(access))
            conditions = (
                edge.branch.terminator.operands[0]
                for edge in edges
                if loops or edge.branch not in self.program.plan.loop_tests
            )
            self._deciding[key] = frozenset(
                each for value in (access.address, *conditions) for each in computed_from(value)
            )
        return self._deciding[key]


def races(facts: KernelFacts) -> tuple[Race, ...]:
    """The races of a kernel, each pair of accesses once: for the launch that shows it best."""
    found: dict[tuple[MemoryAccess, MemoryAccess], Race] = {}

    for each in facts.block_races:
        for race in (*each.found, *each.between_blocks):
            key = (race.conflict.first.access, race.conflict.second.access)
            if key not in found or race.definite > found[key].definite:
                found[key] = race
    return tuple(found.values())


def _block(operation: Operation) -> Block:
    assert operation.block is not None
    return operation.block
