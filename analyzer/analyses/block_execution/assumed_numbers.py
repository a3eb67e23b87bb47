"""The numbers taken for what a launch does not say, when a kernel is run for a block.

In: a kernel and its launch. Out: for each scenario (`SizeScenario`) one answer per question, the
same each time it is asked. Sizes are large enough for every thread of a block to find work: in one
scenario all are equal, in one different, in one odd; in one they are too small for the block, so
that guards take effect. Grids are small, but for one scenario. Lengths of rows are no more than
what lies between two rows, where that is a constant. A value loaded from memory that the whole
block agrees on gets a number far from all others, and another one in each iteration of a loop, the
later the greater, or in one scenario the smaller: they are compared with each other. What a
conflict owes to such numbers, `block_races.py` finds out by comparing scenarios.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...ir.host_formulas import is_limited
from ...ir.operations import Exit, MemoryAccess, Return
from ...ir.types import Kind
from ...ir.values import Parameter, SpecialRegister, Unknown
from ..launch.relations import can_launch, grid_of, makes_grid, telling_arguments
from ..launch.shared_limit import most_dynamic_shared
from ..launch.sizes_to_try import APART, EQUAL, EVEN, ODD, Spread, too_small
from ..pointers.array_extents import ArrayExtents
from .launch_values import GRID_SIZES, assumed_name, greatest_of
from .solved_numbers import block_of, solved_numbers

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.host_formulas import LaunchFormulas
    from ...ir.kernel import PartialDimensions
    from ...ir.values import Special, Value
    from .block_program import BlockProgram
    from .facts import BlockLaunch
    from .thread_vectors import Vector

GRID = 4  # blocks along an axis where the launch does not say
_WIDE_GRID = 131  # and in one scenario: rows of as many are longer than most others
STAYS = 2  # iterations of a loop that data ends
_FAR = 1 << 12
_FAR_OF_SHORT = 1 << 8
_LOADS = 64  # that are counted down from


class SizeScenario(Enum):
    """How sizes that nobody states are chosen for a run of a block."""

    EQUAL = "equal"
    DIFFERENT = "different"
    ODD = "odd"
    APART = "apart"  # what lies between blocks is larger than anything else
    SMALL = "small"
    UNEVEN = "uneven"  # small and different
    FOURFOLD = "fourfold"  # small, and a multiple of four
    FALLING = "falling"  # equal, and what is loaded the smaller the later
    WIDE = "wide"  # equal, in a large grid
    NEGATIVE = "negative"  # equal, and what is loaded is below zero, the later the further
    MATCHING = "matching"  # equal, and what is loaded is the same number
    SOLVED = "solved"  # equal, but for what leads the block to more accesses
    SOLVED_AGAIN = "solved-again"  # to those where others would not have led it
    SOLVED_LAST = "solved-last"
    LAUNCHED = "launched"  # equal, but for what the host passes together (`launch/relations.py`)
    LAUNCHED_AGAIN = "launched-again"  # and other such numbers
    LAUNCHED_LAST = "launched-last"
    SECOND_BLOCK = "second-block"  # equal, in the next block along each axis that is asked for
    LAST_BLOCK = "last-block"  # equal, in the last one
    EXCHANGED = "exchanged"  # equal, and exchanges between lanes order nothing


#: The runs of a block that is not the first.
OTHER_BLOCKS = (SizeScenario.SECOND_BLOCK, SizeScenario.LAST_BLOCK)
#: The runs with numbers that were solved for, in order.
SOLVED = (SizeScenario.SOLVED, SizeScenario.SOLVED_AGAIN, SizeScenario.SOLVED_LAST)
#: The runs with numbers that the host can pass together.
LAUNCHED = (SizeScenario.LAUNCHED, SizeScenario.LAUNCHED_AGAIN, SizeScenario.LAUNCHED_LAST)
#: What decisions on data do when it is chosen so that they go the other way.
CHOSEN_DATA = (SizeScenario.NEGATIVE, SizeScenario.MATCHING)
_SMALL = {SizeScenario.SMALL: 1, SizeScenario.FOURFOLD: 4}  # and what divides the sizes
_EQUAL = frozenset(
    {
        SizeScenario.EQUAL,
        SizeScenario.FALLING,
        SizeScenario.WIDE,
        SizeScenario.EXCHANGED,
        *SOLVED,
        *LAUNCHED,
        *CHOSEN_DATA,
        *OTHER_BLOCKS,
    }
)


class AssumedNumbers:
    """The numbers assumed in one scenario of a run; `used` has those that were asked for,
    by value.
    """

    def __init__(self, program: BlockProgram, launch: BlockLaunch, scenario: SizeScenario) -> None:
        self._program = program
        self._launch = launch
        self._scenario = scenario
        #: What loads gave, by the iterations of the loops around them.
        self.data: dict[tuple[MemoryAccess, tuple[int, ...]], int] = {}
        self._found: dict[MemoryAccess, int] = {}  # what stays where it was loaded from
        self.used: dict[Value, int] = {}
        self._grid: PartialDimensions | None = None  # that the host makes, once it is asked for
        self.decided: dict[Block, bool] = {}

    def number(self, value: Value, iterations: tuple[int, ...]) -> Vector:
        """A number for a value that the whole block agrees on; None for what is no integer."""
        if value.type.kind not in (Kind.INTEGER, Kind.PREDICATE) and not is_untyped(value):
            return None
        if isinstance(value, Parameter):
            passed = self._launch.passed.get(value)
            if passed is not None:
                return passed
        if isinstance(value, MemoryAccess):
            key = (value, iterations)
            if key not in self.data:
                self.data[key] = self._loaded(value, iterations)
            return self.data[key]
        if value not in self.used:
            solved = self._solved(value)
            fitting = self._launch.stated.within(value, self._fitting(value))
            self.used[value] = fitting if solved is None else solved
        return self.used[value]

    def _loaded(self, load: MemoryAccess, iterations: tuple[int, ...]) -> int:
        """What the block finds there, the same each time where the kernel does not change it."""
        first = self._program.plan.repeated_loads.get(load)
        if first in self._found:
            return self._found[first]
        solved = self._solved(first or load) if all(each < STAYS for each in iterations) else None
        number = self._next_loaded(load) if solved is None else solved
        if first is not None:
            self._found[first] = number
        return number

    @property
    def solved(self) -> Sequence[Mapping[Hashable, int]]:
        """The numbers that lead the block where those that are equal do not, found once."""
        program, launch = self._program, self._launch
        if program.solved is None:
            equal = AssumedNumbers(program, launch, SizeScenario.EQUAL)
            program.solved = solved_numbers(program, launch, equal)
        return program.solved

    @property
    def launchable(self) -> Sequence[Mapping[int, int]]:
        """The arguments that the host can pass together, for each of the scenarios that have them;
        found once.
        """
        program, launch = self._program, self._launch.launch
        if program.launchable is None:
            parameters = self._launch.facts.kernel.given
            sizes = [each.index for each in parameters if each.type.kind is Kind.INTEGER]
            formulas = launch.formulas
            found = formulas and telling_arguments(formulas, launch.block, sizes)
            program.launchable = found or ()
        return program.launchable

    def _solved(self, value: Value) -> int | None:
        if self._scenario in LAUNCHED and isinstance(value, Parameter) and self.launchable:
            return self.launchable[LAUNCHED.index(self._scenario)].get(value.index)
        if self._scenario not in SOLVED:
            return None
        at = SOLVED.index(self._scenario)
        if at >= len(self.solved):
            return None  # of a smaller block, to which fewer numbers lead
        numbers = self.solved[at]
        if isinstance(value, SpecialRegister) and value.register in GRID_SIZES:
            last = block_of(numbers)[GRID_SIZES.index(value.register)]
            return last + 1 if last >= GRID else None
        return numbers.get(assumed_name(value))

    def _fitting(self, value: Value) -> int:
        """A number that fits into rows, if it is the length of one; not always the greatest. What
        is a distance of bits is small, and a flag (`first == 1`) is no size.
        """
        number, plan = self._choose(value), self._program.plan
        if not isinstance(value, Parameter):
            return number
        if value in plan.flags:
            return plan.flags[value]
        if value in plan.shift_limits:
            return min(plan.shift_limits[value], 1 if self._scenario in _EQUAL else 2)
        limit = plan.row_limits.get(value)
        if limit is None or number <= limit:
            return number
        return limit if self._scenario in _EQUAL else limit - limit // 4

    @property
    def loaded(self) -> set[Value]:
        """The loads whose values were asked for."""
        return {value for value, _ in self.data}

    @property
    def loads(self) -> bool:
        """Whether a loaded value was asked for."""
        return bool(self.data)

    def _next_loaded(self, load: MemoryAccess) -> int:
        """A number for a value from memory that was not asked for before."""
        place = len(self.data) + 1
        match self._scenario:
            case SizeScenario.MATCHING:
                return self._equal.first
            case SizeScenario.NEGATIVE:
                return -_far(load) * place
            case SizeScenario.FALLING:
                return _far(load) * max(_LOADS - place, 1)
            case SizeScenario.DIFFERENT:
                # Odd: the product of three others is nothing but zeros in 32 bits.
                return _far(load) * place + 1
        return _far(load) * place

    def _choose(self, value: Value) -> int:
        if isinstance(value, SpecialRegister):
            return self._blocks(value.register) if value.register in GRID_SIZES else 0
        bits = value.type.bits or 32
        if bits <= 8:
            return int(self._scenario is not SizeScenario.DIFFERENT)
        if isinstance(value, Unknown):  # most often a tile size of a template
            return 32 if self._scenario is SizeScenario.DIFFERENT else 16
        if self._scenario in _SMALL:
            return too_small(self._launch.launch, _SMALL[self._scenario])
        if self._scenario in _EQUAL:
            return self._equal.first
        place = self._program.places.get(assumed_name(value), 0)
        return self._spread(value).at(place, (1 << (bits - 1)) - 1)

    def _blocks(self, register: Special) -> int:
        """A few blocks along an axis of the grid; as many as the host makes of the sizes that it
        passes where these cannot be so few. Not where the host has a limit: larger sizes have too
        few blocks, and threads come again; nor where the last of the few is run as the last one.
        """
        if self._scenario is SizeScenario.WIDE:
            return _WIDE_GRID
        formulas, axis = self._launch.launch.formulas, GRID_SIZES.index(register)
        formula = None if formulas is None else formulas.grid[axis]
        last = self._scenario is SizeScenario.LAST_BLOCK
        if formulas is None or formula is None or last or is_limited(formula):
            return GRID
        if self._grid is None:
            self._grid = self._grid_of_host(formulas)
        size = self._grid[axis]
        least = GRID if self._scenario in SOLVED else 2  # any of the few may be the one to run
        return size if size is not None and least <= size <= _WIDE_GRID else GRID

    def _grid_of_host(self, formulas: LaunchFormulas) -> PartialDimensions:
        """The grid that the host makes of the sizes; nothing where it may have the few blocks."""
        trial = AssumedNumbers(self._program, self._launch, self._scenario)
        sizes = {
            each.index: trial.number(each, ())
            for each in self._launch.facts.kernel.given
            if each.type.kind is Kind.INTEGER and makes_grid(formulas, each.index)
        }
        passed = {at: number for at, number in sizes.items() if isinstance(number, int)}
        x, y, z = (None if part is None else GRID for part in formulas.grid)
        block = self._launch.launch.block
        if not passed or can_launch(formulas, block, passed, grid=(x, y, z)) is not False:
            return (None, None, None)
        return grid_of(formulas, block, passed)

    def _spread(self, value: Value) -> Spread:
        """The sizes that all differ in this scenario."""
        if self._scenario is SizeScenario.UNEVEN:
            return Spread(too_small(self._launch.launch) + 1, 1)
        strides = self._program.plan.block_strides
        if self._scenario is SizeScenario.APART and assumed_name(value) in strides:
            return APART
        return self._held(EVEN if self._scenario is SizeScenario.DIFFERENT else ODD)

    def _held(self, spreads: Sequence[Spread]) -> Spread:
        """The first of these under which a device can hold the arrays that the kernel goes through,
        and a block those in dynamic shared memory, with work for every thread of the block; the
        first one where none is. Found once.
        """
        known, scenario = self._program.spreads, self._scenario
        if scenario not in known:
            own, most = self._limits
            held: dict[int, Spread] = {}  # by how well: the first of each
            for spread in self._with_work(spreads):
                extents = self._extents(scenario, spread)
                if extents.can_be_held:
                    needed = extents.dynamic_shared
                    held.setdefault((needed > own) + (needed > most), spread)
                    if needed <= own:
                        break
            known[scenario] = held[min(held)] if held else spreads[0]
        return known[scenario]

    @property
    def _equal(self) -> Spread:
        """The size that all have: the usual one, unless no block can be given the dynamic shared
        memory that the kernel then goes through; then the first one that needs no more than each
        kernel has, or than it can ask for. Found once.
        """
        known, scenario = self._program.spreads, SizeScenario.EQUAL
        if scenario not in known:
            usual, (own, most) = EQUAL[0], self._limits
            needed = {usual: self._extents(scenario, usual).dynamic_shared}
            if needed[usual] > own:
                others = self._with_work(EQUAL[1:])
                needed |= {each: self._extents(scenario, each).dynamic_shared for each in others}
                fits = [each for each in needed if needed[each] <= most]
                least = self._launch.facts.architecture.shared_per_block
                each_has = [each for each in fits if needed[each] <= least]
                usual = next(iter(each_has or fits), usual)
            known[scenario] = usual
        return known[scenario]

    @property
    def _limits(self) -> tuple[int, int]:
        """The bytes of dynamic shared memory that a block is given, and that it can ask for."""
        machine = self._launch.facts.architecture
        own = most_dynamic_shared(self._launch.facts.kernel, machine)
        return own, machine.most_shared_per_block

    def _with_work(self, spreads: Sequence[Spread]) -> Iterator[Spread]:
        """Those with work for every thread of the block."""
        least = max(self._launch.launch.block)
        return (each for each in spreads if each.first >= least)

    def _extents(self, scenario: SizeScenario, spread: Spread) -> ArrayExtents:
        """How far the kernel goes into its arrays with such sizes."""
        self._program.spreads[scenario] = spread
        trial = AssumedNumbers(self._program, self._launch, scenario)
        return ArrayExtents(self._launch.facts, trial.greatest)

    def greatest(self, value: Value) -> int | None:
        """The greatest number that a value which is not computed has in a block of the grid; None
        for data.
        """
        if isinstance(value, SpecialRegister) and value.register not in GRID_SIZES:
            return greatest_of(value.register, self._launch.launch, GRID)
        number = None if isinstance(value, MemoryAccess) else self.number(value, ())
        return number if isinstance(number, int) else None

    def takes_first(self, branch: Block, iterations: tuple[int, ...]) -> bool:
        """Stays in loops for some iterations; else each path in some scenario."""
        ways = branch.successors
        nest = self._program.flow.loop_nest(branch)
        for loop in nest:
            inside = [way in loop.blocks for way in ways]
            if not all(inside):
                number = iterations[len(nest) - 1 - nest.index(loop)]
                return inside[0] is (number < STAYS)
        if branch not in self.decided:
            first = self._scenario is not SizeScenario.DIFFERENT
            chosen = ways[0] if first else ways[-1]
            if isinstance(chosen.terminator, Return | Exit) and len(chosen.operations) == 1:
                first = not first
            self.decided[branch] = first
        return self.decided[branch]


def is_untyped(value: Value) -> bool:
    """Whether a value is a constant of unknown type, such as a member of a template's argument; it
    is made an integer where it is one.
    """
    return isinstance(value, Unknown) and value.type.kind is Kind.UNKNOWN and not value.per_thread


def _far(load: MemoryAccess) -> int:
    """What lies between two loaded numbers; many of them must fit into 16 bits, with a sign."""
    return _FAR_OF_SHORT if load.type.bits == 16 else _FAR
