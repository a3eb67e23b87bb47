"""Numbers for which a block comes where the assumed ones do not lead it.

In: a kernel made ready to be run, the blocks that runs with assumed numbers did not come to
(`RunPlan.unreached`), ways past barriers (`RunPlan.passing`), and numbers to begin with
(`RunPlan.offsets`). Out: numbers for parameters,
their members, blockIdx and what the whole block loads, solved for (`number_solver.py`) so that
every decision before one of these blocks lets threads through, and every loop around it iterates;
none where no numbers do. What decides by thread lets the first one through if it can; what each has
loaded is left to the run. Numbers that the source rules out (`dataflow/stated_numbers.py`), or that
no launch in the files can pass (`launch/relations.py`), are not chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import (
    AccessKind,
    Branch,
    Field,
    MemoryAccess,
    Phi,
    Switch,
)
from ...ir.types import Kind
from ...ir.values import Parameter, SpecialRegister, Unknown
from ..dataflow.control_flow import ControlEdge
from ..dataflow.induction import induction
from ..dataflow.joined_conditions import joined_conditions
from ..dataflow.slices import backward_slice
from ..launch.relations import can_launch
from ..warp_evaluation.uniformity import Uniformity
from .launch_values import (
    BLOCK_INDEX,
    BLOCK_SIZES,
    GRID_SIZES,
    assumed_name,
    is_block_index,
    member_of,
)
from .number_solver import NumberSolver

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.values import Value
    from .block_program import BlockProgram
    from .facts import BlockLaunch
    from .run_context import Assumptions

    _Condition = tuple[Value, int]  # and what it has to be
    _Goal = Block | ControlEdge  # a block to come to, or a way to go

RUNS = 3  # with numbers that lead to different blocks
_MOST_BLOCKS = 65_535  # along any axis, where the launch does not say
_THREAD = ("tid", "lane", "warp")


def solved_numbers(
    program: BlockProgram, launch: BlockLaunch, assumed: Assumptions
) -> list[Mapping[Hashable, int]]:
    """Numbers for runs that come where the assumed ones lead no block, by the names of what they
    are for; others stay as assumed. Blocks to which different numbers lead get a run each.
    """
    search = _Search(program, launch, assumed)
    ways = sorted(program.plan.passing, key=lambda way: (way.branch.index, way.target.index))
    plain = [way for way in ways if search.is_open(way)]
    goals: list[_Goal] = [*sorted(program.plan.unreached, key=lambda block: block.index), *plain]
    # Where an iteration goes a way, it does not do what the other way leads to.
    rest = (way for way in ways if way not in plain)
    counted: list[_Goal] = [way for way in rest if search.is_open(way, counted=True)]
    found: list[Mapping[Hashable, int]] = []
    for left, offsets in ((goals, program.plan.offsets), (counted, {})):
        found += _solved(search, left, offsets, RUNS - len(found))
    return found


def _solved(
    search: _Search, left: list[_Goal], offsets: Mapping[Hashable, int], runs: int
) -> list[Mapping[Hashable, int]]:
    """Numbers that lead to goals, in so many runs at most."""
    found: list[Mapping[Hashable, int]] = []
    while (left or offsets) and len(found) < runs:
        solver = NumberSolver(search.known, search.choice, search.is_allowed, search.cases)
        solver.chosen |= offsets
        missed, kept = _lead(solver, search, left)
        is_new = solver.chosen or any(map(search.rests_on_loads, kept))
        if not is_new or not search.can_pass(solver.chosen):
            break
        found.append({**search.loaded, **solver.chosen})
        if len(missed) == len(left):
            break
        left, offsets = missed, {}
    return found


def _lead(
    solver: NumberSolver, search: _Search, goals: list[_Goal]
) -> tuple[list[_Goal], Iterable[_Condition]]:
    """Chooses numbers that lead to goals and round the loops there; those that are not led to, and
    what has to hold for the others.
    """
    missed: list[_Goal] = []
    kept: dict[_Condition, None] = {}  # what led to others has to stay
    settled: set[_Condition] = set()  # what stays, and what nothing is known of
    refused: set[_Condition] = set()  # wishes that what stays rules out

    def holds(conditions: list[_Condition]) -> bool:
        new = [each for each in conditions if each not in settled]
        if new and not solver.hold(new, kept):
            return False
        settled.update(new)
        kept.update((each, None) for each in new if solver.value(each[0]) is not None)
        return True

    for goal in goals:
        guards, wishes = search.conditions(goal)
        if not holds(guards):
            missed.append(goal)
            continue
        refused.update(wish for wish in wishes if wish not in refused and not holds([wish]))
    return missed, kept


def block_of(numbers: Mapping[Hashable, int]) -> Dimensions:
    """The block of the grid that solved numbers make a run for."""
    x, y, z = (numbers.get(axis, 0) for axis in BLOCK_INDEX)
    return x, y, z


class _Search:
    """What the solver asks about one kernel."""

    def __init__(self, program: BlockProgram, launch: BlockLaunch, assumed: Assumptions) -> None:
        self._program = program
        self._launch = launch
        self._assumed = assumed
        self._for_all: dict[tuple[Value, bool], bool] = {}
        self._cases: dict[Phi, list[tuple[Value, list[_Condition]]]] = {}
        self.loaded: dict[Hashable, int] = {}  # what loads have given, so that they do so again

    def rests_on_loads(self, condition: _Condition) -> bool:
        """Whether what was loaded for the search has a part: a run may load in another order, and
        so get other numbers.
        """
        return any(self._first(each) in self.loaded for each in backward_slice(condition[0]))

    def can_pass(self, chosen: Mapping[Hashable, int]) -> bool:
        """Whether a launch in the files can pass such numbers, or none says what is passed."""
        launch = self._launch.launch
        if not launch.formulas:
            return True
        arguments = {
            name.index: number for name, number in chosen.items() if isinstance(name, Parameter)
        }
        return can_launch(launch.formulas, launch.block, arguments, block_of(chosen)) is not False

    def is_open(self, edge: ControlEdge, *, counted: bool = False) -> bool:
        """Whether a number may decide for the whole block if it goes a way: each time alike, or, if
        `counted`, in an iteration that a loop counts (`if (i + step < n)`).
        """
        condition = _condition(edge.branch, {edge.target})
        return condition is not None and self._is_for_all(condition[0], counted=counted)

    def conditions(self, goal: _Goal) -> tuple[list[_Condition], list[_Condition]]:
        """What has to hold for the block of threads to come to a block of the kernel, or to go a
        way; and what has to for its first thread to do so, and in a later iteration of the loops
        around it.
        """
        ways: dict[Block, set[Block]] = {}
        block = goal.branch if isinstance(goal, ControlEdge) else goal
        if isinstance(goal, ControlEdge):
            ways[block] = {goal.target}
        for edge in self._program.flow.controlling_edges(block):
            ways.setdefault(edge.branch, set()).add(edge.target)
        guards: list[_Condition] = []
        parting: list[_Condition] = []
        tests: list[_Condition] = []
        for branch, targets in ways.items():
            condition = _condition(branch, targets)
            if condition is None:
                continue
            for part in joined_conditions(*condition):
                if branch in self._program.plan.loop_tests:
                    tests.append(part)
                elif self._is_for_all(part[0]):
                    guards.append(part)
                else:
                    parting.append(part)
        return guards, [*parting, *tests]

    def _is_for_all(self, condition: Value, *, counted: bool = False) -> bool:
        """Whether neither threads nor iterations, but for `counted` ones, nor what each has loaded
        decides: others may come through anyway.
        """
        key = condition, counted
        if key not in self._for_all:
            flow = self._program.flow
            self._for_all[key] = not any(
                (isinstance(each, Phi) and not (counted and induction(flow, each)))
                or (isinstance(each, MemoryAccess) and not self._is_agreed(each))
                or (isinstance(each, SpecialRegister) and each.register.value.startswith(_THREAD))
                for each in backward_slice(condition)
            )
        return self._for_all[key]

    def _is_agreed(self, access: MemoryAccess) -> bool:
        """Whether it is a number from memory, the same for all threads of the block."""
        number = access.kind is AccessKind.LOAD and access.type.kind is Kind.INTEGER
        return number and self._launch.uniformity.of(access) <= Uniformity.BLOCK

    def _first(self, value: Value) -> Value:
        """Of loads of one number the first."""
        if not isinstance(value, MemoryAccess):
            return value
        return self._program.plan.repeated_loads.get(value, value)

    def choice(self, value: Value) -> Hashable | None:
        """The name of a number that no launch gives: of a parameter, its member, a load, or an axis
        of blockIdx.
        """
        if isinstance(value, MemoryAccess):
            return self._first(value) if self._is_agreed(value) else None
        if is_block_index(value):
            return None if self._blocks_along(value) == 1 else value.register
        if isinstance(value, Parameter) and value.type.kind is Kind.PREDICATE:
            return None if value in self._launch.passed else value
        if value.type.kind is not Kind.INTEGER or not isinstance(value, Parameter | Field):
            return None
        if isinstance(value, Field) and member_of(value) is None:
            return None
        return assumed_name(value) if self._program.is_assumed(value) else None

    def is_allowed(self, value: Value, number: int) -> bool:
        """Whether the source lets a parameter be a number, or the grid blockIdx."""
        if is_block_index(value):
            return 0 <= number < self._blocks_along(value)
        return self._launch.stated.within(value, number) == number

    def _blocks_along(self, axis: SpecialRegister) -> int:
        """How many blocks there may be along an axis of blockIdx."""
        size = self._launch.launch.grid[BLOCK_INDEX.index(axis.register)]
        return _MOST_BLOCKS if size is None else size

    def known(self, value: Value) -> int | None:
        """What the first thread of the first block finds in a value, in the second iteration."""
        if isinstance(value, SpecialRegister):
            return self._register(value)
        if isinstance(value, Phi):
            return self._counter(value)
        if isinstance(value, Unknown) and value.per_thread:
            return None
        if isinstance(value, Parameter | Field | MemoryAccess | Unknown):
            number = self._assumed.number(value, ())
            if isinstance(number, int) and isinstance(value, MemoryAccess):
                self.loaded[self._first(value)] = number
            return number if isinstance(number, int) else None
        return None

    def cases(self, phi: Phi) -> list[tuple[Value, list[_Condition]]]:
        """The values that a phi chooses from where ways meet, each with what leads there."""
        if phi not in self._cases:
            self._cases[phi] = list(self._ways_to(phi))
        return self._cases[phi]

    def _ways_to(self, phi: Phi) -> Iterator[tuple[Value, list[_Condition]]]:
        flow = self._program.flow
        if any(loop.header is phi.block for loop in flow.loop_nest(phi.block)):
            return  # what comes round has another answer in each iteration
        common = set(flow.controlling_edges(phi.block))
        for value, before in zip(phi.operands, phi.block.predecessors, strict=True):
            ways: dict[Block, set[Block]] = {}
            if len(before.successors) > 1:
                ways[before] = {phi.block}
            for edge in flow.controlling_edges(before):
                if edge not in common:
                    ways.setdefault(edge.branch, set()).add(edge.target)
            asked = (_condition(branch, targets) for branch, targets in ways.items())
            yield (
                value,
                [part for each in asked if each is not None for part in joined_conditions(*each)],
            )

    def _register(self, value: SpecialRegister) -> int | None:
        if value.register in BLOCK_SIZES:
            return self._launch.launch.block[BLOCK_SIZES.index(value.register)]
        if value.register in GRID_SIZES:
            size = self._launch.launch.grid[GRID_SIZES.index(value.register)]
            number = self._assumed.number(value, ()) if size is None else size
            return number if isinstance(number, int) else None
        return 0 if value.register.value.startswith((*_THREAD, "ctaid")) else None

    def _counter(self, phi: Phi) -> int | None:
        moves = induction(self._program.flow, phi)
        if moves is None:
            return None
        solver = NumberSolver(self.known, lambda _: None, lambda *_: False)
        first = solver.value(moves.first)
        steps = [solver.value(step) for step, _ in moves.steps]
        if first is None or None in steps:
            return None
        signs = (sign for _, sign in moves.steps)
        return first + sum(sign * (step or 0) for sign, step in zip(signs, steps, strict=True))


def _condition(branch: Block, targets: set[Block]) -> _Condition | None:
    """What a decision has to come to for one of these ways; None where all lead on."""
    last = branch.terminator
    if targets.issuperset(branch.successors):
        return None
    if isinstance(last, Branch):
        return last.condition, last.then in targets
    if not isinstance(last, Switch):
        return None
    numbers = (number for number, way in last.cases if way in targets)
    number = next((each for each in numbers if each is not None), None)
    return None if number is None else (last.operands[0], number)
