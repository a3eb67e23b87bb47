"""How much work may still be done for a kernel: steps, counted where analyses spend their time.

In: an allowance, and what the walks, solvers, evaluators and runs say that they do. Out:
`OutOfWorkError` at the first question asked after it is used up. A step takes about a quarter of a
microsecond; nodes, values and comparisons are counted, never the clock, so that a result is the
same everywhere.
There is one meter for the process, as kernels are analysed one after the other, and a walk over a
graph knows of no kernel. Outside of `allowance` nothing is limited.
Not counted: reading a file, which takes time in proportion to its size.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class OutOfWorkError(Exception):
    """The work that was allowed is done; what was being found out stays unknown."""


class Meter:
    """The steps that are left."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left: float = math.inf

    def spend(self, steps: float) -> None:
        """Count what is about to be done, or was done; raise where nothing was left for it."""
        if self.left < 0:
            raise OutOfWorkError
        self.left -= steps


METER = Meter()


@contextmanager
def allowance(steps: float) -> Iterator[None]:
    """Allow this many steps; what is done counts for an allowance around it as well."""
    around = METER.left
    METER.left = steps
    try:
        yield
    finally:
        METER.left += around - steps if math.isfinite(around) else math.inf
