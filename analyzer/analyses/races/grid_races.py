"""Races between blocks of a grid: two blocks at the same bytes of global memory.

In: the races of a block for one launch, for their runs. Out: `Race` values whose threads belong to
different blocks. The first block, its neighbours along each axis of the grid and the last one are
run, where the launch gives a grid of several blocks or the kernel asks for blockIdx. Of a small
grid all blocks are, of a larger one those in the middle as well, where what is mirrored meets.
A race is definite when both threads are sure to come; both stores are known to write different
values; the reading block does not write the place itself; and what hangs on numbers that the launch
does not give is found for all choices of them, and with blocks that lie far apart (a distance
between them is large enough, as a rule), and for smaller blocks where the shape is a guess.
Not handled: order that blocks make among themselves (`grid_accesses.py` leaves such accesses out),
blocks far apart, addresses that come from memory.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess
from ...ir.values import Special, SpecialRegister
from ..block_execution.assumed_numbers import GRID, AssumedNumbers, Course
from ..block_execution.execution import BlockExecution
from ..block_execution.run_context import Scene
from ..block_shape.block_inference import smaller_shapes
from ..block_shape.block_size_guesses import cuts_groups
from ..block_shape.neighbouring_blocks import distance_of_blocks
from ..block_shape.size_guards import SizeGuards
from ..conflicts.equal_stores import come_from_one_place
from ..conflicts.updates import adds_constant, compares_with, is_update_of
from ..dataflow.slices import computed_from, made_of
from ..dataflow.value_numbering import alike
from ..doubts.assumed_size_artifacts import leaves_its_array
from ..doubts.contended_updates import is_gathered
from ..doubts.loaded_choices import hangs_on_a_choice
from ..doubts.optimistic_reads import takes_unfinished
from ..inter_block.alike_blocks import are_alike
from ..pointers.memory_model import ATOMIC, is_strong
from ..pointers.pointer_contents import NOTHING
from ..pointers.provenance import differs, is_data, parts_of, reads_memory
from ..warp_evaluation.uniformity import Uniformity
from .block_races import BlockRaces
from .grid_accesses import GridAccesses
from .grid_conflicts import BlockPairs, GridVisits
from .race_kinds import Race, RaceKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Dimensions
    from ...ir.values import Value
    from ..block_execution.access_events import Conflict, Touch
    from ..dataflow.control_flow import ControlEdge
    from ..pointers.pointer_contents import Targets

WORK = 320_000  # values of single threads for one block, of all launches together
_COURSES = (Course.APART, Course.DIFFERENT, Course.ODD)
FEW = 8  # blocks, which are all run
_INDEX = (Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z)
_EXTENTS = frozenset({Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y})


class GridRun:
    """The blocks of a grid in one course."""

    def __init__(self, races: BlockRaces, accesses: GridAccesses, course: Course) -> None:
        launch = races.launch
        self.course = course
        self.numbers = AssumedNumbers(races.program, launch, course)
        self.seen: list[GridVisits] = []
        pairs = BlockPairs(races.program, accesses, launch.launch.threads)
        share = WORK // len(launch.facts.launches)
        blocks = blocks_to_run(races)
        for index in blocks:
            scene = Scene(launch, index, self.numbers, limit=share)
            visits = GridVisits(races.program, accesses, launch.launch.threads)
            outcome = BlockExecution(races.program, scene, visits).run()
            if outcome.stopped:
                launch.facts.unfinished.add(outcome.stopped)
            for other, known in zip(blocks, self.seen, strict=False):
                pairs.compare((other, index), known, visits)
            self.seen.append(visits)
        self.found, self.equal = pairs.found, pairs.equal

    @property
    def left_arrays(self) -> bool:
        """Whether a block went beyond the end of an array."""
        return any(each.left_arrays for each in self.seen)

    def executes(self, access: MemoryAccess) -> bool:
        """Whether more than one block comes to an access."""
        return sum(any(access in each for each in one.intervals) for one in self.seen) > 1


def blocks_to_run(races: BlockRaces) -> list[Dimensions]:
    """The first block, the next one along each axis; others as well if the grid is known. A grid
    of which an axis is nothing is not started, so its first block meets nobody.
    """
    used = races.launch.facts.registers
    grid = races.launch.launch.grid
    sizes = [
        size if size is not None else GRID if axis in used else 1
        for axis, size in zip(_INDEX, grid, strict=True)
    ]
    found: list[Dimensions] = [(0, 0, 0)]
    for axis, size in enumerate(sizes):
        if size > 1:
            x, y, z = (int(axis == other) for other in range(3))
            found.append((x, y, z))
    if 0 in grid:
        return [(0, 0, 0)]
    further = () if None in grid else _further(*sizes)
    return list(dict.fromkeys((*found, *further)))


def _further(x: int, y: int, z: int) -> Iterator[Dimensions]:
    """The last block of a grid, and those in its middle, or all there are."""
    yield x - 1, y - 1, z - 1
    if x * y * z <= FEW:
        yield from product(range(x), range(y), range(z))
    elif y * z == 1:
        yield from ((x // 2 - 1, 0, 0), (x // 2, 0, 0))


class GridRaces:
    """The races between blocks of one launch."""

    def __init__(self, races: BlockRaces) -> None:
        self._races = races
        self._launch = races.launch
        self._runs: dict[Course, GridRun] = {}
        self._smaller: dict[Course, tuple[GridRun, ...]] = {}
        self._parts: dict[ControlEdge, list[Value]] = {}

    @cached_property
    def accesses(self) -> GridAccesses:
        """What blocks may conflict at."""
        facts = self._launch.facts
        counts = (each for each in facts.accesses if each.kind in ATOMIC)
        return GridAccesses(
            self._launch, frozenset(filter(self._is_gathered, (*facts.updates, *counts)))
        )

    def _is_gathered(self, store: MemoryAccess) -> bool:
        """Whether input decides which threads of all blocks update one and the same place.

        An atomic operation is there because several threads come.
        """
        assert store.block is not None
        edges = self._races.program.flow.controlling_edges(store.block)
        asked = [part for edge in edges for part in self._parts_of(edge)]
        own = self._launch.facts.updates.get(store, frozenset())
        others = [part for part in asked if not compares_with(part, own)]
        if len(others) == len(asked) and self._made_of_data.isdisjoint(others):
            return False  # data has no say
        points_to = self._launch.facts.points_to
        if store.volatile or not all(is_data(each, points_to) for each in others):
            return False
        if not self._made_of_written.isdisjoint(others):
            return False
        if store.kind in ATOMIC or adds_constant(store, own):
            return True
        return is_gathered(self._races, store, store)

    def _parts_of(self, edge: ControlEdge) -> list[Value]:
        """What must hold where an edge is taken; many stores stand behind one."""
        if edge not in self._parts:
            self._parts[edge] = parts_of(edge)
        return self._parts[edge]

    @cached_property
    def _made_of_data(self) -> set[Value]:
        """All values that anything loaded has a part in."""
        facts = self._launch.facts
        return made_of(facts.accesses, facts.users)

    @cached_property
    def _made_of_written(self) -> set[Value]:
        """Those that something has a part in which the kernel itself may write."""
        facts = self._launch.facts
        return made_of((each for each in facts.accesses if not self._is_input(each)), facts.users)

    def _is_input(self, load: MemoryAccess) -> bool:
        """Whether the kernel leaves alone what is loaded; shared memory is the block's own."""
        points_to = self._launch.facts.points_to
        if points_to.spaces(load) == {Space.SHARED}:
            return True
        return not self._written & (points_to.touched(load) | {None})

    @cached_property
    def _written(self) -> Targets:
        """What the kernel may write outside shared memory."""
        facts = self._launch.facts
        return NOTHING.union(
            *(
                facts.points_to.touched(each)
                for each in facts.accesses
                if each.writes and facts.points_to.spaces(each) != {Space.SHARED}
            )
        )

    @cached_property
    def found(self) -> tuple[Race, ...]:
        """Every race."""
        if not self.runs:
            return ()
        run = self.run(Course.EQUAL)
        races = [self._judge(run, conflict, alike=False) for conflict in run.found.values()]
        races += [
            self._judge(run, conflict, alike=True)
            for key, conflict in run.equal.items()
            if key not in run.found
        ]
        return (*races, *self._for_falling_data(run), *self._for_small_sizes(run))

    def _for_falling_data(self, rising: GridRun) -> Iterator[Race]:
        """The races behind comparisons of loaded values that hold when the first is greater."""
        if rising.numbers.loads and not all(map(rising.executes, self.accesses.order)):
            run = self.run(Course.FALLING)
            for pair, conflict in run.found.items():
                if pair not in rising.found:
                    yield self._judge(run, conflict, alike=False)

    def _for_small_sizes(self, large: GridRun) -> Iterator[Race]:
        """The races that only show for sizes which guards let no whole block through."""
        if any(self._guards.hold(*pair) for pair in self.accesses.examples(self._guards.kind)):
            run = self.run(Course.SMALL)
            for pair, conflict in run.found.items():
                if pair not in large.found and self._guards.hold(*pair):
                    race = self._judge(run, conflict, alike=False)
                    if race.definite:
                        yield race

    @cached_property
    def _guards(self) -> SizeGuards:
        return SizeGuards(self._races.program)

    @property
    def runs(self) -> bool:
        """Whether there are blocks, and places where they may meet."""
        several = self._launch.launch.trusted and len(blocks_to_run(self._races)) > 1
        return several and any(True for _ in self.accesses.examples())

    def run(self, course: Course) -> GridRun:
        """The blocks in one course."""
        if course not in self._runs:
            self._runs[course] = GridRun(self._races, self.accesses, course)
        return self._runs[course]

    def _judge(self, run: GridRun, conflict: Conflict, *, alike: bool) -> Race:
        pair = (conflict.first.access, conflict.second.access)
        kind = RaceKind.EQUAL_WRITES if alike else self._kind(*pair)
        definite = not alike and self._is_definite(run, conflict, kind)
        numbers = run.numbers
        assumed = self._races.assumed_by(numbers, pair, loops=True)
        decisive = self._races.assumed_by(numbers, pair, loops=False)
        return Race(kind, conflict, self._races, assumed, decisive, definite)

    def _kind(self, first: MemoryAccess, second: MemoryAccess) -> RaceKind:
        if is_strong(first) and is_strong(second):
            return RaceKind.SCOPE
        if is_update_of(self._launch.facts.updates, first, second):
            return RaceKind.UPDATE
        if first.kind is second.kind is AccessKind.STORE:
            return RaceKind.WRITES
        return RaceKind.BLOCKS

    def _is_definite(self, run: GridRun, conflict: Conflict, kind: RaceKind) -> bool:
        launch = self._launch.launch
        first, second = conflict.first, conflict.second
        if kind is RaceKind.UPDATE and self._races.repeats(second.access, Uniformity.GRID):
            return False
        if kind is RaceKind.UPDATE and None in launch.grid and self._is_begun(second.access):
            return False  # most likely there is one block
        if kind is RaceKind.WRITES and not self._writes_differ(first, second):
            return False
        if kind is RaceKind.BLOCKS and not self._is_exchange(run, conflict):
            return False
        if kind is RaceKind.BLOCKS and None in launch.grid and are_alike(self._launch.facts):
            return False  # most likely there is one block
        if launch.origin != "--block" and (run.left_arrays or self._leaves_arrays):
            return False  # most likely not the block that the kernel is made for
        if launch.unsettled and any(map(self._is_of_the_shape, (first.access, second.access))):
            return False  # the blocks may well be as large as the number asks for
        if any(map(self._races.is_peculiarly_placed, (first.access, second.access))):
            return False
        if leaves_its_array(self._races, conflict):
            return False
        if any(hangs_on_a_choice(self._launch, each.access) for each in (first, second)):
            return False
        if any(map(self._has_atomic_way, (first.access, second.access))):
            return False  # most likely taken by one block alone
        if launch.inferred and any(map(self._hangs_on_extents, (first.access, second.access))):
            return False  # as many threads, most likely, but perhaps in other rows
        if launch.guessed and any(map(self._is_too_large, (first.access, second.access))):
            return False
        gathered = first.access in self.accesses.gathered
        if not gathered and any(self._is_of_one_block(run, t.access) for t in (first, second)):
            return False
        return self._holds_for_other_numbers(run, conflict) and self._holds_for_smaller_blocks(
            run, conflict
        )

    def _is_begun(self, update: MemoryAccess) -> bool:
        """Whether each block begins anew at the place of an update, `*sum = 0; ... *sum += x;`."""
        flow, facts = self._races.program.flow, self._launch.facts
        assert update.block is not None
        return any(
            store.block is not None
            and store.kind is AccessKind.STORE
            and store not in facts.updates
            and not reads_memory(store.operands[1])
            and flow.dominators.dominates(store.block.index, update.block.index)
            and alike(store.address, update.address)
            for store in facts.accesses
        )

    def _is_of_the_shape(self, access: MemoryAccess) -> bool:
        """Whether a number that the host makes the block of has a part in where an access goes."""
        open_numbers = self._launch.stated.shaping - self._launch.passed.keys()
        return any(each in open_numbers for each in computed_from(access.address))

    def _hangs_on_extents(self, access: MemoryAccess) -> bool:
        """Whether how long the rows of a block are has a part in where an access goes."""
        rows = self._launch.launch.block[1] > 1
        return rows and any(
            isinstance(each, SpecialRegister) and each.register in _EXTENTS
            for each in computed_from(access.address)
        )

    def _has_atomic_way(self, access: MemoryAccess) -> bool:
        """Whether blocks change the same by atomics where the grid decides otherwise than here."""
        facts, flow = self._launch.facts, self._races.program.flow
        assert access.block is not None
        taken = {
            edge.branch: edge.target
            for edge in flow.controlling_edges(access.block)
            if self._launch.uniformity.of_branch(edge.branch) <= Uniformity.GRID
        }
        touched = facts.points_to.touched(access)
        return any(
            edge.branch in taken and edge.target is not taken[edge.branch]
            for other in (facts.accesses if taken else ())
            if other.kind in ATOMIC and not touched.isdisjoint(facts.points_to.touched(other))
            if other.block is not None
            for edge in flow.controlling_edges(other.block)
        )

    def _is_too_large(self, access: MemoryAccess) -> bool:
        """Whether the next block begins before this one ends, or a group of threads goes on in it:
        it is for other blocks.
        """
        distance = distance_of_blocks(access.address)
        if distance is not None and distance < self._launch.launch.block[0]:
            return True
        return cuts_groups(self._launch, access.address)

    @cached_property
    def _leaves_arrays(self) -> bool:
        """Whether a thread goes beyond the end of an array of its block."""
        return any(run.seen.left_arrays for run in self._races.runs.courses)

    def _writes_differ(self, first: Touch, second: Touch) -> bool:
        if come_from_one_place(first, second):
            return False  # the number of each load is ours
        if first.stored is not None and second.stored is not None:
            return first.stored != second.stored
        indices = [self._index_of(touch) for touch in (first, second)]
        values = [touch.access.operands[1] for touch in (first, second)]
        if any(map(self._was_left_in_block, values)):
            return False
        return all(differs(value, *indices) for value in values)

    def _was_left_in_block(self, value: Value) -> bool:
        """Whether a value comes from shared memory, where each block may hold the same."""
        points_to = self._launch.facts.points_to
        return any(
            isinstance(each, MemoryAccess) and points_to.spaces(each) != {Space.GLOBAL}
            for each in computed_from(value)
        )

    def _index_of(self, touch: Touch) -> dict[Special, int]:
        assert touch.block is not None
        blocks = dict(zip(_INDEX, touch.block, strict=True))
        return {**self._races.index_of(touch), **blocks}

    def _is_exchange(self, run: GridRun, conflict: Conflict) -> bool:
        """Whether a block finds what another one left, and has not put the same there itself."""
        first, second = conflict.first, conflict.second
        if first.access.kind in ATOMIC or second.access.kind in ATOMIC:
            loads = AccessKind.LOAD in (first.access.kind, second.access.kind)
            facts = self._launch.facts
            return not loads or takes_unfinished(facts, first.access, second.access)
        reader, writer = (first, second) if second.access.writes else (second, first)
        blocks = blocks_to_run(self._races)
        assert reader.block is not None
        place = reader.address // self.accesses.unit
        own = run.seen[blocks.index(reader.block)].intervals
        return not any(place in each.get(writer.access, ()) for each in own)

    def _is_of_one_block(self, run: GridRun, access: MemoryAccess) -> bool:
        """Whether a decision that is not known may keep other blocks away."""
        assert access.block is not None
        uniformity = self._launch.uniformity
        return any(
            edge.branch in run.numbers.decided
            and uniformity.of_branch(edge.branch) > Uniformity.GRID
            for edge in self._races.program.flow.controlling_edges(access.block)
        )

    def _holds_for_other_numbers(self, run: GridRun, conflict: Conflict) -> bool:
        pair = (conflict.first.access, conflict.second.access)
        if run.course is Course.SMALL:
            return pair in self.run(Course.UNEVEN).found
        if not any(self._races.program.hangs_on_assumed(access.address) for access in pair):
            return True
        if pair not in self.run(Course.APART).found:
            return False  # blocks whose parts overlap only if their distance is too small
        others = map(self.run, _COURSES)
        return all(pair in other.found for other in others if all(map(other.executes, pair)))

    def _holds_for_smaller_blocks(self, run: GridRun, conflict: Conflict) -> bool:
        launch = self._launch.launch
        if not (launch.unsettled or launch.inferred):
            return True
        pair = (conflict.first.access, conflict.second.access)
        if run.course not in self._smaller:
            self._smaller[run.course] = tuple(self._smaller_runs(run.course))
        return all(pair in smaller.found for smaller in self._smaller[run.course])

    def _smaller_runs(self, course: Course) -> Iterator[GridRun]:
        """What smaller blocks than the one assumed do."""
        for shape in smaller_shapes(self._launch.launch.block):
            yield GridRun(BlockRaces(self._launch.with_block(shape)), self.accesses, course)
