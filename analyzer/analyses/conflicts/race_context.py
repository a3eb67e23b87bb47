"""What judging the conflicts of a launch stands on: its runs, and the numbers that were assumed.

In: a launch. Out: the runs of a block, and for an access which assumed numbers have a part in where
it goes or whether it is executed. `races/block_races.py` judges with it; each doubt may ask it.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.asynchronous import SizedAccess
from ...ir.operations import (
    AccessKind,
    Compare,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import Parameter, Special, SpecialRegister, whole_number
from ..block_execution.assumed_numbers import SizeScenario
from ..block_execution.launch_values import is_block_index
from ..block_shape.block_size_guesses import is_block_size
from ..block_shape.size_guards import SizeGuards
from ..dataflow.deciding_slices import deciding_slice
from ..dataflow.joined_conditions import joined_conditions, parts_of
from ..dataflow.slices import backward_slice, loads_in
from ..launch.relations import can_launch
from ..pointers.indirect_addresses import is_found_in_memory
from ..pointers.provenance import comparisons, orders
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.uniformity import Uniformity
from .block_runs import BlockRuns
from .block_shrinking import BlockShrinking
from .known_decisions import KnownDecisions
from .updates import repeats
from .usual_shapes import UsualShapes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...ir.block import Block
    from ...ir.values import Value
    from ...source.text import Span
    from ..block_execution.access_events import ThreadAccess
    from ..block_execution.assumed_numbers import AssumedNumbers
    from ..dataflow.control_flow import Loop
    from .block_runs import BlockRun
    from .facts import ConflictLaunch

TRIALS = 6


class RaceContext:
    """The runs of one launch by which its conflicts are judged, and the numbers assumed in them."""

    def __init__(self, launch: ConflictLaunch) -> None:
        launch.facts.note(self)
        self.launch = launch
        self.runs = BlockRuns(launch)
        self.program = self.runs.program
        self.tracked = self.runs.tracked
        self.trials = TRIALS  # places for barriers that may still be tried out
        self.stretches: dict[Loop, Span | None] = {}  # the source of a loop, where it was asked for
        self._decisions: dict[SizeScenario, KnownDecisions] = {}
        self._bounded: dict[MemoryAccess, bool] = {}
        self._passed: dict[frozenset[tuple[int, int]], bool | None] = {}
        self._deciding: dict[tuple[MemoryAccess, bool, frozenset[Block]], frozenset[Value]] = {}

    @cached_property
    def smaller(self) -> BlockShrinking:
        """What smaller blocks do."""
        return BlockShrinking(self)

    @cached_property
    def usual(self) -> UsualShapes:
        """What blocks of the usual shapes do."""
        return UsualShapes(self)

    @cached_property
    def guards(self) -> SizeGuards:
        """For which sizes guards let threads through."""
        return SizeGuards(self.program, self.launch.launch.grid)

    def decisions(self, run: BlockRun) -> KnownDecisions:
        """Which ways the threads of a run never take."""
        if run.scenario not in self._decisions:
            index = self.runs.index(run.scenario)
            self._decisions[run.scenario] = KnownDecisions(
                self.program, self.launch, run.numbers, index
            )
        return self._decisions[run.scenario]

    @cached_property
    def wide(self) -> BlockRun:
        """The run of a block in a large grid."""
        return self.runs.again(SizeScenario.WIDE)

    @cached_property
    def uneven(self) -> BlockRun:
        """The run that confirms what small sizes show."""
        return self.runs.again(SizeScenario.UNEVEN)

    @cached_property
    def fourfold(self) -> BlockRun:
        """The one with such sizes that halves and quarters of them are whole."""
        return self.runs.again(SizeScenario.FOURFOLD)

    def can_be_passed(self, numbers: Mapping[int, int]) -> bool | None:
        """Whether the host can pass these numbers together, by the places of their parameters."""
        launch, key = self.launch.launch, frozenset(numbers.items())
        if launch.formulas is None:
            return None
        if key not in self._passed:
            self._passed[key] = can_launch(launch.formulas, launch.block, numbers)
        return self._passed[key]

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is run meanwhile takes nothing from the effort of the runs that verdicts need, and
        what it leaves unfinished is nobody's loss.
        """
        unfinished = set(self.launch.facts.unfinished)
        with self.runs.efforts.aside():
            yield
        self.launch.facts.unfinished.intersection_update(unfinished)

    def repeats(self, store: MemoryAccess, level: Uniformity) -> bool:
        """Whether all threads of a block or a grid make an update that makes no difference."""
        return repeats(store, self.launch.facts.updates, self.launch.uniformity, level)

    def index_of(self, touch: ThreadAccess) -> dict[Special, int]:
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

    def depends_on_numbers(self, access: MemoryAccess) -> bool:
        """Whether an assumed number has a part in where an access goes, or if it is executed."""
        return any(map(self.program.is_assumed, self.decides(access, loops=True)))

    def leaves_by_example(self, access: MemoryAccess, *, elsewhere: bool = False) -> bool:
        """Whether an assumed number has a part in which bytes an access touches, or if it is
        executed; not how often: a loop of any number of iterations that does not lead it elsewhere
        comes to it. Nor at an edge of the data: blocks before it come to what they guard against
        its size, unless all but the first would go elsewhere, or only another one leaves (is
        `elsewhere`): then data may be meant for one block.
        """
        flow = self.program.flow
        covered = [access.address, *([access.extent] if isinstance(access, SizedAccess) else ())]
        if any(map(self.rests_on_assumed, covered)):
            return True
        made = {part for value in covered for part in backward_slice(value)}
        of_one_block = elsewhere or any(map(is_block_index, made))
        for edge in flow.controlling_edges(access.block):
            if not self.rests_on_assumed(edge.branch.terminator.operands[0]):
                continue
            if (
                edge.condition is not None
                and not of_one_block
                and all(
                    self.guards.let_whole_blocks(*part)
                    for part in joined_conditions(*edge.condition)
                    if self.rests_on_assumed(part[0])
                )
            ):
                continue
            tested = [loop for loop in flow.loop_nest(edge.branch) if edge.branch in loop.exits]
            if not tested or any(phi in made for loop in tested for phi in loop.header.phis):
                return True
        return False

    def is_led_by_example(self, access: MemoryAccess) -> bool:
        """Whether an assumed number has a part in where an access goes, or in which threads come
        there; not in whether the block comes there, which is where it is, too, for other numbers.
        """
        if self.rests_on_assumed(access.address):
            return True
        edges = self.program.flow.controlling_edges(access.block)
        return any(
            self.rests_on_assumed(each) and self.launch.uniformity.of(each) > Uniformity.BLOCK
            for edge in edges
            for each in parts_of(edge)
        )

    def rests_on_assumed(self, value: Value) -> bool:
        """Whether an assumed number has a part in a value, or in which operand a phi takes."""
        return any(map(self.program.is_assumed, deciding_slice(self.program.flow, value)))

    def depends_on_block(self, access: MemoryAccess) -> bool:
        """Whether a block's size that nobody states has a part in where an access goes, or if it is
        executed: as blockDim, or as a parameter that the launch passes it for.
        """
        launch = self.launch.launch
        if not (launch.unsettled or launch.inferred):
            return False
        return any(
            isinstance(each, Parameter) or is_block_size(each)
            for each in self.decides(access, loops=True)
            if each.type.kind is Kind.INTEGER
        )

    def leaves_arrays(self, run: BlockRun, pair: tuple[MemoryAccess, ...] = ()) -> bool:
        """Whether a thread leaves an array by a number or a block that was assumed. Where data is
        a bound of the index, or all that was assumed of it, another number would have kept it
        inside: for other accesses than the pair that says nothing.
        """
        launch = self.launch.launch
        stated = not (launch.unsettled or launch.inferred or self.launch.facts.kernel.instance)
        return any(
            self.leaves_by_example(access)
            or not (stated or (thread < WARP and not self.depends_on_block(access)))
            for access, thread in run.seen.leaving.items()
            if access in pair
            or not (self._is_bounded_by_data(access) or self._is_led_by_data(access))
        )

    def _is_bounded_by_data(self, access: MemoryAccess) -> bool:
        """Whether loaded numbers are the bounds of an index."""
        if access not in self._bounded:
            made = {
                each
                for each in backward_slice(access.address)
                if isinstance(each, Phi | SpecialRegister)
            }
            self._bounded[access] = any(
                self._is_loaded(bound) and not made.isdisjoint(backward_slice(index))
                for edge in self.program.flow.controlling_edges(access.block)
                for compare in filter(orders, comparisons(edge.branch.terminator.operands[0]))
                for index, bound in (compare.operands, compare.operands[::-1])
            )
        return self._bounded[access]

    def _is_led_by_data(self, access: MemoryAccess) -> bool:
        """Whether numbers of memory are assumed for where an access goes, and nothing else is."""
        assumed = list(filter(self.program.is_assumed, backward_slice(access.address)))
        return bool(assumed) and all(isinstance(each, MemoryAccess) for each in assumed)

    def _is_loaded(self, value: Value) -> bool:
        """Whether an assumed number of memory has a part in a value."""
        loads = (each for each in loads_in(value) if each.kind is AccessKind.LOAD)
        return any(map(self.program.is_assumed, loads))

    def is_peculiarly_placed(self, access: MemoryAccess) -> bool:
        """Whether an assumed number that only some would do for has a part in where it goes."""
        return any(map(self.is_peculiar, backward_slice(access.address)))

    def is_peculiar(self, value: Value) -> bool:
        """Whether an assumed number stands where only some numbers make sense."""
        if not isinstance(value, Operation) or not self.program.depends_on_assumed(value):
            return False
        if value.opcode is Opcode.AND and value.type.kind is Kind.INTEGER:
            # `n & 3` is a remainder, as compilers write it, and so is `n & (blockDim.x - 1)`.
            remainder = any(map(self._is_known_mask, value.operands))
            masked = not remainder and any(map(self._is_assumed_mask, value.operands))
            return masked and not self._asks_for_loaded_bits(value)
        if value.opcode in (Opcode.SHL, Opcode.SHR):
            moved, distance = value.operands
            apart = is_found_in_memory(self.launch.facts, moved)  # data: any distance leaves any
            return not apart and self.program.depends_on_assumed(distance)
        return value.opcode is Opcode.MUL_HIGH

    def _is_known_mask(self, value: Value) -> bool:
        """Whether a number stands in the text, or the launch gives it to all threads of a block."""
        if whole_number(value) is not None:
            return True
        shared = self.launch.uniformity.of(value) <= Uniformity.BLOCK
        return shared and not self.program.depends_on_assumed(value)

    def _is_assumed_mask(self, value: Value) -> bool:
        """Whether a number that all threads share is one that was assumed: `size - 1`."""
        if isinstance(unconverted(value), Parameter | MemoryAccess):
            return True
        shared = self.launch.uniformity.of(value) <= Uniformity.BLOCK
        return shared and self.program.depends_on_assumed(value)

    def _asks_for_loaded_bits(self, value: Operation) -> bool:
        """Whether nothing is asked but if bits of what memory holds are set: any may be."""
        users = self.launch.facts.users.get(value, ())
        tests = all(
            isinstance(each, Compare)
            and each.opcode in (Opcode.EQ, Opcode.NE)
            and 0 in map(whole_number, each.operands)
            for each in users
        )
        return tests and any(
            isinstance(each, MemoryAccess) and each.kind is AccessKind.LOAD
            for each in backward_slice(*value.operands)
        )

    def assumed_by(
        self,
        numbers: AssumedNumbers,
        accesses: tuple[MemoryAccess, MemoryAccess],
        *,
        loops: bool,
        chosen: frozenset[Block] = frozenset(),
    ) -> tuple[tuple[Value, int], ...]:
        """The assumed numbers that addresses, guards and perhaps loops of the two depend on; but
        for the conditions at the end of `chosen` blocks.
        """
        values = [self.decides(access, loops=loops, chosen=chosen) for access in accesses]
        return tuple(
            (value, number)
            for value, number in numbers.used.items()
            if any(value in each for each in values)
        )

    def decides(
        self, access: MemoryAccess, *, loops: bool, chosen: frozenset[Block] = frozenset()
    ) -> frozenset[Value]:
        """All that has a part in where an access goes, or if a thread comes to it."""
        key = (access, loops, chosen)
        if key not in self._deciding:
            edges = self.program.flow.controlling_edges(access.block)
            conditions = (
                edge.branch.terminator.operands[0]
                for edge in edges
                if edge.branch not in chosen
                and (loops or edge.branch not in self.program.plan.loop_tests)
            )
            self._deciding[key] = frozenset(backward_slice(access.address, *conditions))
        return self._deciding[key]
