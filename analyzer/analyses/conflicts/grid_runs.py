"""The runs of a grid: which blocks, with which numbers, and where they meet.

In: the context of one launch. Out: the first block, its neighbours along each axis of the grid and
the last one, run where the launch gives a grid of several blocks or the kernel asks for blockIdx.
Of a small grid all blocks are, of a larger one those in the middle as well, where what is mirrored
meets. Each scenario is run when it is asked for. Not handled: blocks far apart.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ..block_execution.assumed_numbers import GRID, AssumedNumbers, SizeScenario
from ..block_execution.execution import BlockExecution
from ..block_execution.launch_values import BLOCK_INDEX
from ..block_execution.run_context import RunContext
from ..block_shape.block_inference import smaller_shapes
from ..dataflow.joined_conditions import parts_of
from ..dataflow.slices import forward_slice
from ..pointers.memory_model import ATOMIC
from ..pointers.pointer_contents import NOTHING
from ..pointers.provenance import is_data
from .contended_updates import is_contended
from .grid_accesses import GridAccesses
from .grid_conflicts import BlockPairs, GridEvents
from .race_context import RaceContext
from .updates import adds_constant, compares_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Dimensions
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlEdge
    from ..pointers.pointer_contents import Targets

WORK = 320_000  # values of single threads for one block, of all launches together
FEW = 8  # blocks, which are all run


class GridRun:
    """The runs of some blocks of a grid in one scenario, and where they conflict."""

    def __init__(
        self, context: RaceContext, accesses: GridAccesses, scenario: SizeScenario
    ) -> None:
        launch, program = context.launch, context.program
        self.scenario = scenario
        self.numbers = AssumedNumbers(program, launch, scenario)
        self.seen: dict[Dimensions, GridEvents] = {}
        pairs = BlockPairs(program, accesses, launch.launch.threads)
        share = WORK // len(launch.facts.launches)
        for index in blocks_to_run(context):
            run = RunContext(launch, index, self.numbers, limit=share)
            events = GridEvents(program, accesses, launch.launch.threads)
            outcome = BlockExecution(program, run, events).run()
            if outcome.stopped:
                launch.facts.unfinished.add(outcome.stopped)
            for other, known in self.seen.items():
                pairs.compare((other, index), known, events)
            self.seen[index] = events
        self.found, self.equal = pairs.found, pairs.equal

    @property
    def left_arrays(self) -> bool:
        """Whether a block went beyond the end of an array."""
        return any(each.left_arrays for each in self.seen.values())

    def executes(self, access: MemoryAccess) -> bool:
        """Whether more than one block comes to an access."""
        return sum(any(access in each for each in one.intervals) for one in self.seen.values()) > 1


def blocks_to_run(context: RaceContext) -> list[Dimensions]:
    """The blocks of a grid to run for conflicts between them: the first, the next one along each
    axis; others as well if the grid is known. A grid of which an axis is nothing is not started.
    """
    facts = context.launch.facts
    # On request also where no block knows that there are others.
    used = facts.registers | ({BLOCK_INDEX[0]} if facts.options.doubted else set())
    grid = context.launch.launch.grid
    sizes = [
        size if size is not None else GRID if axis in used else 1
        for axis, size in zip(BLOCK_INDEX, grid, strict=True)
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


class GridRuns:
    """The runs of blocks of one launch's grid, to find conflicts between them."""

    def __init__(self, context: RaceContext) -> None:
        self.context = context
        self._launch = context.launch
        self._runs: dict[SizeScenario, GridRun] = {}
        self._smaller: dict[SizeScenario, tuple[GridRun, ...]] = {}
        self._parts: dict[ControlEdge, list[Value]] = {}

    @property
    def may_meet(self) -> bool:
        """Whether there are blocks, and places where they may meet."""
        several = self._launch.launch.trusted and len(blocks_to_run(self.context)) > 1
        return several and any(True for _ in self.accesses.examples())

    def run(self, scenario: SizeScenario) -> GridRun:
        """The blocks in one scenario."""
        if scenario not in self._runs:
            self._runs[scenario] = GridRun(self.context, self.accesses, scenario)
        return self._runs[scenario]

    def smaller(self, scenario: SizeScenario) -> tuple[GridRun, ...]:
        """What smaller blocks than the one assumed do."""
        if scenario not in self._smaller:
            shapes = smaller_shapes(self._launch.launch.block)
            contexts = (RaceContext(self._launch.with_block(shape)) for shape in shapes)
            self._smaller[scenario] = tuple(
                GridRun(each, self.accesses, scenario) for each in contexts
            )
        return self._smaller[scenario]

    @cached_property
    def accesses(self) -> GridAccesses:
        """What blocks may conflict at."""
        facts = self._launch.facts
        counts = (each for each in facts.accesses if each.kind in ATOMIC)
        return GridAccesses(
            self._launch, frozenset(filter(self._is_contended, (*facts.updates, *counts)))
        )

    def _is_contended(self, store: MemoryAccess) -> bool:
        """Whether input decides which threads of all blocks update one and the same place.

        An atomic operation is there because several threads come.
        """
        edges = self.context.program.flow.controlling_edges(store.block)
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
        return is_contended(self.context, store, store)

    def _parts_of(self, edge: ControlEdge) -> list[Value]:
        """What must hold where an edge is taken; many stores stand behind one."""
        if edge not in self._parts:
            self._parts[edge] = parts_of(edge)
        return self._parts[edge]

    @cached_property
    def _made_of_data(self) -> set[Value]:
        """All values that anything loaded has a part in."""
        facts = self._launch.facts
        return forward_slice(facts.accesses, facts.users)

    @cached_property
    def _made_of_written(self) -> set[Value]:
        """Those that something has a part in which the kernel itself may write."""
        facts = self._launch.facts
        return forward_slice(
            (each for each in facts.accesses if not self._is_input(each)), facts.users
        )

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
