"""Numbers for what a launch does not say, tried in turn until a decision splits threads.

In: a launch. Out: `Example`s, each a number for sizes and a round for loops, which notes what was
asked of it: an example that nothing was asked of holds for every launch. Sizes get numbers that are
no multiple of a block or a warp, unless the host checks that they are, and lie where the source
says that they do; pointers an aligned address; blockIdx is 0, if nobody asks for another block.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from ...ir.operations import MemoryAccess, Phi
from ...ir.types import Kind
from ...ir.values import Parameter, Special, Unknown
from ...source.records import dataclass
from .lane_values import constant
from .loop_iterations import first_round
from .symbol_names import is_called_rounded, symbol_name
from .warp_evaluator import Iteration

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.values import Value
    from ..dataflow.stated_numbers import StatedNumbers
    from ..launch.assumed_launch import AssumedLaunch
    from .facts import LaunchFacts
    from .iterations import Bound
    from .lane_values import LaneValue
    from .warp_evaluator import WarpEvaluator

_ROUNDS = (0, 1, 2)
_NOT_SAID = frozenset({Kind.POINTER, Kind.FLOAT})
_NO_NUMBERS = frozenset({Kind.AGGREGATE, Kind.UNKNOWN})


@dataclass(slots=True)
class Example:
    """One number for all sizes, one round for all loops; `used` is what they stood for."""

    number: int
    round: int
    block: Dimensions = (0, 0, 0)
    used: dict[Hashable, int] = field(default_factory=dict)
    shapes: bool = False  # it was asked for what the block's shape is made of

    @property
    def is_made_up(self) -> bool:
        """Whether it says what a phi holds in a later round, which is not ours to choose."""
        return bool(self.round) and any(isinstance(name, Phi) for name in self.used)

    @property
    def is_nameless(self) -> bool:
        """Whether it says what a constant of another file or of a template is, or what the host
        makes the block of, or rounds to a multiple of something.
        """
        return self.shapes or any(
            isinstance(name, Unknown) or is_called_rounded(name) for name in self.used
        )

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """What was assumed, by the names a user knows; block 0 of the grid goes without saying, and
        floating point is not computed: how it compares is chosen, whatever the numbers are.
        """
        return tuple(
            (symbol_name(name), value)
            for name, value in self.used.items()
            if symbol_name(name) and (value or not isinstance(name, Special))
            if not isinstance(name, Parameter | MemoryAccess) or name.type.kind not in _NOT_SAID
        )

    @property
    def round_of_loop(self) -> int | None:
        """The round of the loop that was asked for."""
        rounds = [value for name, value in self.used.items() if isinstance(name, Iteration)]
        return rounds[0] if rounds else None

    def evaluator(
        self,
        launch: LaunchFacts,
        warp: int,
        block: Block,
        *,
        keeps_passed: bool = False,
        data: Mapping[Value, LaneValue] | None = None,
    ) -> WarpEvaluator:
        """A warp in `block`, in this round of the loops around it.

        With `keeps_passed` parameters hold what the launch passes for them; `data` is loaded.
        """
        number = partial(self._number, launch.stated)
        passed = launch.passed if keeps_passed else {}
        bound: Bound = {p: constant(value) for p, value in passed.items()}
        bound |= data or {}
        if self.round == 0:
            for loop in reversed(launch.facts.flow.loop_nest(block)):
                bound |= first_round(launch.new_evaluator(warp, number, bound), loop)
        return launch.new_evaluator(warp, number, bound)

    def _number(self, stated: StatedNumbers, name: Hashable) -> int | None:
        if isinstance(name, Iteration):
            value = self.round
        elif isinstance(name, Parameter) and name.type.kind is Kind.POINTER:
            value = 1 << 20
        elif isinstance(name, Special):
            value = 2 if name.value.startswith("nctaid") else self._index(name)
        elif isinstance(name, Parameter) and name.type.kind in _NO_NUMBERS:
            return None
        else:
            value = stated.within(name, self.number)
            self.shapes |= name in stated.shaping
        self.used[name] = value
        return value

    def _index(self, name: Special) -> int:
        """A part of blockIdx; 0 for other registers."""
        return self.block[_BLOCK.index(name)] if name in _BLOCK else 0


_BLOCK = (Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z)


def examples(launch: AssumedLaunch) -> Iterator[Example]:
    """The examples to try, the most telling first."""
    half_row = launch.block[0] // 2 + 1
    numbers = dict.fromkeys((launch.threads // 2 + 1, half_row, 100, 33, 1, 1000, 5, 0))
    for number, round in product(numbers, _ROUNDS):
        yield Example(number, round)
