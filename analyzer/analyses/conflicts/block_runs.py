"""The runs of a block of one launch: in which scenarios, and what watches them.

In: the facts of a launch. Out: a block run in up to three scenarios (`assumed_numbers.py`), each
with the conflicts and the copies under way that were seen, and the same runs again with barriers
added or left out. A scenario beyond the first is run only where an assumed number can make a
difference.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import WarpOperation
from ...ir.values import Parameter
from ...source.records import dataclass
from ..block_execution.assumed_numbers import (
    CHOSEN_DATA,
    LAUNCHED,
    OTHER_BLOCKS,
    SOLVED,
    AssumedNumbers,
    SizeScenario,
)
from ..block_execution.block_program import BlockProgram
from ..block_execution.comparison_effort import Efforts
from ..block_execution.copies_in_flight import CopiesInFlight
from ..block_execution.execution import BlockExecution
from ..block_execution.launch_values import BLOCK_INDEX
from ..block_execution.run_context import (
    Changes,
    ObserverGroup,
    Outcome,
    RunContext,
    WithoutExchanges,
)
from ..block_execution.solved_numbers import block_of
from ..block_shape.other_blocks import FIRST, deciding_axes, other_block, placing_axes
from ..dataflow.slices import backward_slice, registers_in
from ..launch.relations import can_launch
from .block_conflicts import BlockConflicts
from .offset_choices import offset_choices
from .skipped_barriers import ways_past_barriers
from .tracked_accesses import Tracked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.operations import MemoryAccess
    from ..block_execution.run_context import Observer
    from ..dataflow.control_flow import Loop
    from .facts import ConflictLaunch

WORK = 1_200_000  # values of single threads for all scenarios of all launches, half for the first
_OF_SMALLER = 3  # a smaller block gets a third of that


@dataclass(frozen=True, slots=True)
class BlockRun:
    """One run of a block in one scenario, and the conflicts seen in it."""

    scenario: SizeScenario
    numbers: AssumedNumbers
    seen: BlockConflicts
    copies: CopiesInFlight | None  # None: the kernel makes none
    outcome: Outcome


class BlockRuns:
    """The runs of a block of one launch that look for conflicts; those of a smaller block share the
    effort of a larger one.
    """

    def __init__(self, launch: ConflictLaunch, larger: BlockRuns | None = None) -> None:
        self.launch = launch
        self.program = BlockProgram(launch)
        self.tracked = Tracked(launch)
        self.efforts: Efforts = Efforts() if larger is None else larger.efforts
        #: blockIdx, where it is not the first block that is run.
        self._indices: dict[SizeScenario, Dimensions] = {} if larger is None else larger._indices
        # A smaller block only confirms what a larger one shows.
        self._part = 1 if larger is None else _OF_SMALLER
        self._share = self._first_share = WORK // 2 // self._part // len(launch.facts.launches)

    @cached_property
    def first(self) -> BlockRun | None:
        """The first scenario; None where no two accesses can conflict."""
        return self.again(SizeScenario.EQUAL) if self.tracked.accesses else None

    @cached_property
    def scenarios(self) -> tuple[BlockRun, ...]:
        """The scenarios; the later ones only where an assumed number can matter."""
        if (first := self.first) is None:
            return ()
        others = list(self._others(first)) if assumes(first) else []
        if others:
            self._share = (2 * self._share - first.outcome.work) // len(others)
        return (first, *map(self.again, others))

    @cached_property
    def solved(self) -> tuple[BlockRun, ...]:
        """Runs with numbers that lead the block to accesses, and loops to second iterations, that
        no other run came to, and past barriers; none where there are none.
        """
        if not self.scenarios or not assumes(self.scenarios[0]):
            return ()
        plan = self.program.plan
        plan.unreached |= set(self._unreached())
        plan.passing |= ways_past_barriers(self.launch, self.tracked.accesses, plan.loop_tests)
        plan.offsets |= self._offsets()
        if not (plan.unreached or plan.passing or plan.offsets):
            return ()
        numbers = AssumedNumbers(self.program, self.launch, SizeScenario.SOLVED).solved
        found: list[BlockRun] = []
        for scenario, chosen in zip(SOLVED, numbers, strict=False):
            if block_of(chosen) != FIRST:
                self._indices[scenario] = block_of(chosen)
            found.append(self.again(scenario))
        return tuple(found)

    @cached_property
    def chosen_data(self) -> tuple[BlockRun, ...]:
        """Runs with other data, where some was asked for and kept threads from an access to which
        no number leads that is solved for.
        """
        found: list[BlockRun] = []
        for scenario in CHOSEN_DATA if self.scenarios else ():
            left = self._left_out(*self.scenarios, *self.solved, *found)
            if any(map(self._waits_for_data, left)):
                found.append(self.again(scenario))
        return tuple(found)

    @cached_property
    def launchable(self) -> tuple[BlockRun, ...]:
        """Runs with arguments that the host can pass together, where threads met by others."""
        met = [run for run in (*self.scenarios, *self.solved) if run.seen.found]
        if all(map(self._can_be_launched, met)):
            return ()
        numbers = met[0].numbers.launchable
        return tuple(map(self.again, LAUNCHED[: len(numbers)]))

    def _can_be_launched(self, run: BlockRun) -> bool:
        """Whether nothing that is known of the launch contradicts the numbers of a run."""
        launch, numbers = self.launch.launch, run.numbers.used.items()
        used = {value.index: each for value, each in numbers if isinstance(value, Parameter)}
        if launch.formulas is None or not used:
            return True
        return can_launch(launch.formulas, launch.block, used) is not False

    @property
    def unsolved(self) -> tuple[BlockRun, ...]:
        """The runs for whose numbers nothing was solved."""
        return (*self.scenarios, *self.chosen_data)

    def _offsets(self) -> dict[Hashable, int]:
        """Numbers under which accesses may meet that no run shows together; on request, as nobody
        knows that a caller passes them.
        """
        if not self.launch.facts.options.doubted:
            return {}
        met = {p for run in self.scenarios for p in (*run.seen.meeting, *run.seen.equal)}
        return offset_choices(self.program, self.tracked, met)

    def _unreached(self) -> Iterator[Block]:
        """Where accesses are that no run came to, or not again in a loop that may order them."""
        seen = [run.seen for run in self.scenarios]
        for access in self.tracked.accesses:
            block = access.block
            made = [each.iterations[access] for each in seen if access in each.iterations]
            if not made:
                yield block
                continue
            nest = reversed(self.program.flow.loop_nest(block))
            for loop, iterations in zip(nest, zip(*made, strict=True), strict=True):
                once = not any(iterations) and self._may_iterate(loop)
                if once and (self.program.plan.waits_in(loop) or self._is_in_shared(access)):
                    yield block

    def _may_iterate(self, loop: Loop) -> bool:
        """Whether other numbers, or other blocks, make more iterations of a loop."""
        return self.program.is_open_ended(loop) or any(
            not registers_in(*end.terminator.operands[:1]).isdisjoint(BLOCK_INDEX)
            for end in loop.exits
        )

    def _is_in_shared(self, access: MemoryAccess) -> bool:
        return self.launch.facts.points_to.spaces(access) == {Space.SHARED}

    @cached_property
    def all(self) -> tuple[BlockRun, ...]:
        """Every run in which conflicts are looked for."""
        return (*self._ordered, *self.exchanged)

    @cached_property
    def _ordered(self) -> tuple[BlockRun, ...]:
        return (*self.unsolved, *self.solved, *self.launchable, *self.other_blocks)

    @cached_property
    def exchanged(self) -> tuple[BlockRun, ...]:
        """A run with the conflicts that nothing but an exchange between lanes orders; on request,
        as that mostly works.
        """
        facts = self.launch.facts
        if not (self.scenarios and facts.options.doubted and any(facts.every(WarpOperation))):
            return ()
        found = self.again(SizeScenario.EXCHANGED)
        for known in self._ordered:
            for pair in known.seen.meeting | known.seen.equal.keys():
                found.seen.found.pop(pair, None)
        found.seen.equal.clear()
        return (found,)

    @cached_property
    def other_blocks(self) -> tuple[BlockRun, ...]:
        """Runs of other blocks than the first, where blockIdx kept that from an access, or leads
        others elsewhere in shared memory.
        """
        found: list[BlockRun] = []
        placed = placing_axes(self.launch.facts, self.tracked.accesses)
        for scenario in OTHER_BLOCKS if self.scenarios else ():
            left = self._left_out(*self.unsolved, *self.solved, *found)
            axes = deciding_axes(self.program.flow, left) | placed
            index = other_block(self.launch.launch.grid, axes, scenario)
            if index not in (FIRST, *self._indices.values()):
                self._indices[scenario] = index
                found.append(self.again(scenario))
        return tuple(found)

    def index(self, scenario: SizeScenario) -> Dimensions:
        """The block that a scenario runs."""
        return self._indices.get(scenario, FIRST)

    def _left_out(self, *runs: BlockRun) -> set[MemoryAccess]:
        """The accesses that no thread comes to in any of the runs."""
        met = {each for run in runs for each in (*run.seen.executed, *run.seen.not_known)}
        return self.tracked.accesses.keys() - met

    def _waits_for_data(self, access: MemoryAccess) -> bool:
        """Whether a value that was assumed for a load has a part in who comes to an access."""
        conditions = self.program.flow.conditions(access.block)
        return not self.scenarios[0].numbers.loaded.isdisjoint(backward_slice(*conditions))

    def again(
        self,
        scenario: SizeScenario,
        changes: Changes | None = None,
        only: tuple[MemoryAccess, MemoryAccess] | None = None,
    ) -> BlockRun:
        """A block of the launch, run once, with barriers added or left out: the first one, or that
        of the scenario.

        With `only`, nothing but this pair of accesses is looked at.
        """
        facts = self.launch.facts
        numbers = AssumedNumbers(self.program, self.launch, scenario)
        asked = scenario is SizeScenario.EXCHANGED
        share = self._first_share if asked else self._share
        context = RunContext(
            self.launch, self.index(scenario), numbers, changes or Changes(), share
        )
        effort = self.efforts.next(self._part)
        seen = BlockConflicts(self.program, self.tracked, effort, only, self._indices.get(scenario))
        copies: CopiesInFlight | None = None
        watching: Observer = seen
        if changes is None and self.program.plan.copies_to_shared:
            copies = CopiesInFlight(self.program, self.launch)
            watching = ObserverGroup(seen, copies)
        if asked:
            watching = WithoutExchanges(watching)
        outcome = BlockExecution(self.program, context, watching).run()
        if outcome.stopped:
            facts.unfinished.add(outcome.stopped)
        seen.settle()
        self.efforts.spent(effort, facts.unfinished)
        return BlockRun(scenario, numbers, seen, copies, outcome)

    def _others(self, first: BlockRun) -> Iterator[SizeScenario]:
        """The other scenarios in which something may be different from the first one."""
        assumed = self.program.depends_on_assumed
        loop_tests = self.program.plan.loop_tests
        blocks = {access.block for access in self.tracked.accesses}
        guards = {
            edge.branch.terminator.operands[0]
            for block in blocks
            for edge in self.program.flow.controlling_edges(block)
            if edge.branch not in loop_tests
        }
        guarded = any(map(assumed, guards))
        placed = any(assumed(access.address) for pair in first.seen.found for access in pair)
        if guarded or placed:
            yield SizeScenario.DIFFERENT
        if placed:
            yield SizeScenario.ODD
        if guarded:
            yield SizeScenario.SMALL
        if first.numbers.loads and self._left_out(first):
            yield SizeScenario.FALLING


def assumes(run: BlockRun) -> bool:
    """Whether a run that looked for conflicts asked for a number that the launch does not give."""
    return bool(run.numbers.used or run.numbers.decided or run.numbers.loads)
