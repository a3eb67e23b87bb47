"""How much work may still be done for a kernel: steps, counted where analyses spend their time.

In: an allowance, and what the walks, solvers, evaluators and runs say that they do. Out:
`OutOfWorkError` at the first question asked after it is used up. A step takes about a quarter of a
microsecond; nodes, values and comparisons are counted, never the clock, so that a result is the
same everywhere.
There is one meter for the process, as kernels are analysed one after the other, and a walk over a
graph knows of no kernel. Outside of `allowance` nothing is limited. Another thread may give up on
all of it (`give_up`): then the next question ends in `GivenUp`.
Not counted here: reading a file, for which kernels are allowed less (`engine/kernels/shares.py`).
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class OutOfWorkError(Exception):
    """The work allowed for analysing a kernel is done; what was being found out stays unknown."""


class GivenUp(BaseException):  # no error: nobody may take it for one
    """An analysis is given up: nobody, such as an editor, waits any longer for its result."""


class Meter:
    """The steps that are left for analysing a kernel."""

    __slots__ = ("given_up", "left")

    def __init__(self) -> None:
        self.left: float = math.inf
        self.given_up = False

    def spend(self, steps: float) -> None:
        """Count what is about to be done, or was done; raise where nothing was left for it."""
        if self.left < 0:
            self.look()
            raise OutOfWorkError
        self.left -= steps

    def look(self) -> None:
        """Raise where somebody gave up."""
        if self.given_up:
            raise GivenUp

    def give_up(self) -> None:
        """End the work that is being done; to be called again until it has ended.

        The work counts while this is called, and a count can undo it.
        """
        self.given_up = True
        self.left = -math.inf

    def begin(self) -> None:
        """Nothing is limited, and nobody gave up."""
        self.given_up = False
        self.left = math.inf


METER = Meter()


@contextmanager
def allowance(steps: float) -> Iterator[None]:
    """Allows the analyses inside this many steps; what they spend counts for an allowance around it
    as well.
    """
    METER.look()
    around = METER.left
    METER.left = steps
    try:
        yield
    finally:
        METER.left += around - steps if math.isfinite(around) else math.inf
