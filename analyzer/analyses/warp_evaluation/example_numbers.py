"""Numbers for what a launch does not say, tried in turn until a decision splits threads.

In: a launch. Out: `Example`s, each a number for sizes and an iteration for loops, which notes what
was asked of it: an example that nothing was asked of holds for every launch. Sizes get numbers that
are no multiple of a block or a warp, unless the host checks that they are, and lie where the source
says that they do; pointers an aligned address; blockIdx is 0, if nobody asks for another block.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING

from ...ir.arithmetic import wrap
from ...ir.operations import MemoryAccess, Opcode, Phi
from ...ir.types import Kind
from ...ir.values import Parameter, Special, Unknown
from ...source.records import dataclass
from ..dataflow.slices import backward_slice
from ..launch.relations import can_launch, grid_of, suggestions
from ..launch.sizes_to_try import parting
from .computation import Computation
from .lane_values import constant
from .loop_iterations import first_iteration
from .symbol_names import symbol_name
from .warp_evaluator import IterationNumber

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.values import Value
    from ..launch.assumed_launch import AssumedLaunch
    from .facts import WarpLaunch
    from .iterations import Bound
    from .lane_values import LaneValue
    from .warp_evaluator import WarpEvaluator

_ROUNDS = (0, 1, 2)
_LARGE = 1000  # what nobody says
_STEPS = (17, -17, 43, -43)  # between loaded values
_COMPARED = 3  # passed numbers that other values are chosen near
_BLOCKS = 15  # of a grid that are tried
_SUGGESTED = 12  # numbers that the host can pass, which are tried
_NOT_SAID = frozenset({Kind.POINTER, Kind.FLOAT})
_NO_NUMBERS = frozenset({Kind.AGGREGATE, Kind.UNKNOWN})


@dataclass(slots=True)
class Example:
    """Numbers tried for a warp where the launch says none: one for all sizes, one iteration for all
    loops; `used` is what they stood for.
    """

    number: int
    iteration: int
    block: Dimensions = (0, 0, 0)
    stated: Mapping[Hashable, int] = field(default_factory=dict)  # by the launch, for parameters
    used: dict[Hashable, int] = field(default_factory=dict)
    shapes: bool = False  # it was asked for what the block's shape is made of
    step: int = 0  # by which each loaded value differs from the one before, the first from sizes

    @property
    def is_made_up(self) -> bool:
        """Whether it says what a phi holds in a later iteration, which is not ours to choose."""
        return bool(self.iteration) and any(isinstance(name, Phi) for name in self.used)

    @property
    def is_nameless(self) -> bool:
        """Whether it says what a constant of another file or of a template is, or what the host
        makes the block of.
        """
        return self.shapes or any(isinstance(name, Unknown) for name in self.used)

    @property
    def loads(self) -> int:
        """How many loaded values it was asked for."""
        return sum(isinstance(name, MemoryAccess) for name in self.used)

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """What was assumed, by the names a user knows, each once; block 0 of the grid goes without
        saying, and floating point is not computed: how it compares is chosen, whatever the numbers
        are.
        """
        named = (
            (symbol_name(name), value)
            for name, value in sorted(self.used.items(), key=_order)
            if symbol_name(name) and (value or not isinstance(name, Special))
            if not isinstance(name, Parameter | MemoryAccess) or name.type.kind not in _NOT_SAID
            if not _is_passed_pointer(name)
        )
        return tuple(dict.fromkeys(named))

    def decides(self, branch: Block) -> bool:
        """Whether a number that was asked for has a part in a decision."""
        parts = [each for value in branch.terminator.operands for each in backward_slice(value)]
        iterated = self.iteration_of_loop is not None
        return any(each in self.used or (iterated and isinstance(each, Phi)) for each in parts)

    @property
    def iteration_of_loop(self) -> int | None:
        """The iteration of the loop that was asked for."""
        iterations = [
            value for name, value in self.used.items() if isinstance(name, IterationNumber)
        ]
        return iterations[0] if iterations else None

    @property
    def is_of_block(self) -> bool:
        """Whether nothing but the block decides."""
        return all(name in _BLOCK for name in self.used)

    def evaluator(
        self,
        launch: WarpLaunch,
        warp: int,
        block: Block,
        *,
        keeps_passed: bool = False,
        data: Mapping[Value, LaneValue] | None = None,
    ) -> WarpEvaluator:
        """A warp in `block`, in this iteration of the loops around it.

        With `keeps_passed` parameters hold what the launch passes for them; `data` is loaded.
        """
        number = partial(self._number, launch)
        passed = launch.passed if keeps_passed else {}
        bound: Bound = {p: constant(value) for p, value in passed.items()}
        bound |= data or {}
        if self.iteration == 0:
            for loop in reversed(launch.facts.flow.loop_nest(block)):
                bound |= first_iteration(launch.new_evaluator(warp, number, bound), loop)
        return launch.new_evaluator(warp, number, bound)

    def can_be_launched(self, launch: WarpLaunch) -> bool:
        """Whether nothing that is known of the launch contradicts the numbers that were used."""
        arguments = self._arguments(launch)
        formulas, block = launch.launch.formulas, launch.launch.block
        if arguments is None or formulas is None:
            return arguments is not None
        x, y, z = (self.used.get(each) for each in _GRID)
        return can_launch(formulas, block, arguments, self.block, (x, y, z)) is not False

    def in_its_grid(self, launch: WarpLaunch) -> Example | None:
        """The same numbers in the grid that the host makes for them, where its size was asked for
        and is another one.
        """
        arguments, formulas = self._arguments(launch), launch.launch.formulas
        if arguments is None or formulas is None or self.used.keys().isdisjoint(_GRID):
            return None
        grid = zip(_GRID, grid_of(formulas, launch.launch.block, arguments), strict=True)
        sizes: dict[Hashable, int] = {name: size for name, size in grid if size is not None}
        if all(self.used.get(name, size) == size for name, size in sizes.items()):
            return None
        return Example(self.number, self.iteration, self.block, {**self.stated, **sizes})

    def _arguments(self, launch: WarpLaunch) -> dict[int, int] | None:
        """The numbers that were used for parameters, by their place; None where the launch passes
        others.
        """
        arguments: dict[int, int] = {}
        for at, parameter in enumerate(launch.facts.kernel.given):
            number = self.used.get(parameter)
            if number is None:
                continue
            if parameter.type.kind is Kind.PREDICATE:
                number = int(number != 0)
            elif parameter.type.kind is not Kind.INTEGER:
                continue
            if launch.passed.get(parameter, number) != number:
                return None
            if parameter.type.kind is Kind.INTEGER:
                arguments[at] = number
        return arguments

    def _number(self, launch: WarpLaunch, name: Hashable) -> int | None:
        stated = launch.stated
        if isinstance(name, IterationNumber):
            value = self.iteration
        elif _is_passed_pointer(name):
            value = 1 << 20
        elif name in self.stated:
            value = self.stated[name]
        elif name in _GRID:
            value = self._blocks(launch, _GRID.index(name))
        elif isinstance(name, Special):
            value = self._index(name)
        elif isinstance(name, Parameter) and name.type.kind in _NO_NUMBERS:
            return None
        else:
            value = stated.within(name, self.number + self._step(name))
            self.shapes |= name in stated.shaping
            if isinstance(name, MemoryAccess) and name.type.kind is Kind.INTEGER:
                value = wrap(value, name.type)
            elif isinstance(name, MemoryAccess) and name.type.kind is Kind.PREDICATE:
                value %= 2
        self.used[name] = value
        return value

    def _step(self, name: Hashable) -> int:
        """By how much a loaded value differs from sizes."""
        if not self.step or not isinstance(name, MemoryAccess):
            return 0
        known = [each for each in self.used if isinstance(each, MemoryAccess)]
        place = known.index(name) if name in known else len(known)
        return self.step * (place + 1)

    def _blocks(self, launch: WarpLaunch, axis: int) -> int:
        """A size of the grid: as many blocks as so many elements need, a thread for each."""
        return max(-(-self.number // launch.launch.block[axis]), self.block[axis] + 1)

    def _index(self, name: Special) -> int:
        """A part of blockIdx; 0 for other registers."""
        return self.block[_BLOCK.index(name)] if name in _BLOCK else 0


def _is_passed_pointer(name: Hashable) -> bool:
    """Whether it is a pointer that the host passes, be it a member of a class."""
    if isinstance(name, Computation):
        opcode, type, *_ = name
        return opcode is Opcode.EXTRACT and type.kind is Kind.POINTER
    return isinstance(name, Parameter) and name.type.kind is Kind.POINTER


def data_examples(launch: WarpLaunch) -> Iterator[Example]:
    """Example numbers for loaded data, with the arguments that the launch passes: it may be
    compared with them.
    """
    stated: dict[Hashable, int] = dict(launch.passed.items())
    sizes = (n for p, n in launch.passed.items() if p.type.kind is Kind.INTEGER)
    near = islice(sizes, _COMPARED)
    for number in dict.fromkeys((*near, *(each.number for each in examples(launch.launch)))):
        yield Example(number, 0, stated=stated)


def launched_examples(launch: WarpLaunch) -> Iterator[Example]:
    """Example numbers that the launch gives: the arguments that it passes, for its first and its
    last block, or arguments that the host can pass, for the first block, then for the one in which
    one of them ends.
    """
    parameters = launch.facts.kernel.given
    if launch.passed:
        stated: dict[Hashable, int] = dict(launch.passed.items())
        corners = [(0, 0, 0)]
        x, y, z = launch.launch.grid
        if x and y and z and (x, y, z) != (1, 1, 1):
            corners.append((x - 1, y - 1, z - 1))
        for block, iteration in product(corners, _ROUNDS):
            yield Example(_LARGE, iteration, block, stated)
    for numbers in _suggested(launch):
        stated = {parameters[at]: n for at, n in numbers.items()}
        for iteration in _ROUNDS:
            yield Example(_LARGE, iteration, stated=stated)
    width = launch.launch.block[0]
    for numbers in _suggested(launch):
        stated = {parameters[at]: n for at, n in numbers.items()}
        divisors = dict(enumerate(launch.launch.divisors))
        whole = all(n % divisors.get(at, 1) == 0 for at, n in numbers.items())
        for number in dict.fromkeys(numbers.values()) if whole else ():
            if number > width and number % width:  # the block in which it ends
                yield Example(_LARGE, 0, (number // width, 0, 0), stated)


def _suggested(launch: WarpLaunch) -> Iterator[dict[int, int]]:
    """Numbers that the host can pass, by the places of the arguments, a few of them."""
    formulas = launch.launch.formulas
    if formulas is not None:
        given = enumerate(launch.facts.kernel.given)
        wanted = [at for at, each in given if each.type.kind is Kind.INTEGER]
        yield from islice(suggestions(formulas, launch.launch.block, wanted), _SUGGESTED)


def examples_of_blocks(launch: WarpLaunch) -> Iterator[Example]:
    """Example numbers for blocks of a known grid: all but for the first one, or the first of them
    and the last one.
    """
    x, y, z = launch.launch.grid
    if x and y and z:
        blocks = product(range(x), range(y), range(z))
        next(blocks)
        for block in islice(blocks, _BLOCKS):
            yield Example(_LARGE, 0, block)
        if x * y * z - 1 > _BLOCKS:
            yield Example(_LARGE, 0, (x - 1, y - 1, z - 1))


_BLOCK = (Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z)
_GRID = (Special.GRID_SIZE_X, Special.GRID_SIZE_Y, Special.GRID_SIZE_Z)


def _order(used: tuple[Hashable, int]) -> tuple[bool, int]:
    """Blocks come last, along x first; everything else as it was asked for."""
    name = used[0]
    return (True, _BLOCK.index(name)) if name in _BLOCK else (False, 0)


def examples(launch: AssumedLaunch) -> Iterator[Example]:
    """The example numbers to try for what a launch does not say, the most telling first."""
    for number, iteration in product(parting(launch), _ROUNDS):
        yield Example(number, iteration)


def spread_examples(launch: AssumedLaunch) -> Iterator[Example]:
    """Example numbers for loaded values that differ, as the ends of a row do, `for (i = first + t;
    i < last; ...)`, by a number that parts the threads of a warp, or the warps.
    """
    for step in _STEPS:
        if abs(step) < launch.threads:
            for iteration in _ROUNDS:
                yield Example(_LARGE, iteration, step=step)
