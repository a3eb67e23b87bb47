"""The sizes that are tried for what neither the launch nor the source says: the one list of them.

Problem: a size that is not known decides what threads do. In: a launch. Out: numbers, each for what
it is to bring to light. Which of them a question tries, and in which order, is its own affair:
`example_numbers.py` looks for one that parts a warp, `example_launches.py` for two that cost the
same, `assumed_numbers.py` runs whole blocks for each of its scenarios, `numbered_launches.py` has
them for variables of the host. What the source says of a size comes first with all of them
(`stated_numbers.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .assumed_launch import AssumedLaunch

#: Work for every thread of a block, and whole sectors of any element; the product of three such
#: numbers fits a 32-bit integer.
LONG = 1024
LONGER = 1280
#: Bytes of the largest device, a B300: arrays are no larger together.
MEMORY = 288_000_000_000
_SHORT = 3  # threads along an axis that are no row


class Spread(NamedTuple):
    """Sizes to try for what no launch states that all differ, one for each place among the numbers
    that are asked for.
    """

    first: int
    step: int

    def at(self, place: int, limit: int) -> int:
        """The size at a place, `limit` at most. The steps grow: of strides in equal steps, twice
        the second is the first and the third.
        """
        return min(self.first + self.step * (place * (place + 1) // 2), limit)


#: The largest first: of those after it one is taken where a device could not hold the arrays.
_EVEN = ((2048, 512), (1024, 256), (512, 64), (256, 32), (64, 16), (64, 4))
_ODD = ((1031, 66), (517, 34), (259, 18), (131, 10), (67, 6), (67, 2))
EVEN, ODD = (tuple(Spread(*each) for each in sizes) for sizes in (_EVEN, _ODD))
#: One for all, smaller where no block could have the shared memory that it asks for.
EQUAL = tuple(Spread(size, 0) for size in (LONG, 512, 256, 128, 64))
#: No multiples of a block, as most sizes are not: one for all, and one for each, ever larger.
UNEVEN = 1000
RISING = (717, 1009, 1301, 1607)
APART = Spread(1 << 22, 104_729)  # strides between blocks, larger than anything else


def too_small(launch: AssumedLaunch, divisor: int = 1) -> int:
    """A size to try for what no launch states: too small for a row of the block, so that guards
    tell; the least multiple that is more than half of the row.
    """
    rows = [size for size in launch.block if size > _SHORT]
    half = min(rows, default=launch.threads) // 2
    return (half // divisor + 1) * divisor


def parting(launch: AssumedLaunch) -> tuple[int, ...]:
    """Sizes to try for what no launch states that are no multiple of a block or a warp, those that
    part most blocks first.
    """
    halves = launch.threads // 2 + 1, launch.block[0] // 2 + 1
    return tuple(dict.fromkeys((*halves, 100, 33, 5, 1000, 1, 0)))
