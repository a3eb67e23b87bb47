"""What an evaluation ends with, and what it may cost.

A value is known lane by lane, up to symbols, or not, with the reason in words for a user.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...ir.operations import Opcode
from ...source.records import dataclass
from ..launch.allowance import METER
from ..launch.kernel_size import work_of_kernel
from .lane_values import LaneValue
from .reasons import LOADED, UNKNOWN_FUNCTION, UNREAD_CALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import Operation


@dataclass(frozen=True, slots=True)
class Unevaluable:
    """A value that is not known in every lane of a warp, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class IterationNumber:
    """The symbol of a loop's iteration number in values of lanes, 0 in the first iteration."""

    header: Block


Outcome = LaneValue | Unevaluable


_FEWEST = 10_000  # values
STEPS = 40  # of the kernel's work, for each value


@dataclass(slots=True)
class Budget:
    """How many values of lanes may be computed for one kernel: what is beyond it stays unknown.

    Some 20,000 to 80,000 a second, guards included: a kernel of a thousand lines in nested loops
    would take minutes.
    """

    left: int
    nested: int = 0  # loops whose exits are being asked for, each by a loop behind it

    def spend(self, values: int, steps: float) -> None:
        """Values are computed, or what stands for them, in so many steps of the kernel's work."""
        self.left -= values
        METER.spend(steps)

    @property
    def used_up(self) -> bool:
        """Whether nothing more should be evaluated."""
        return self.left <= 0

    @contextmanager
    def half(self) -> Iterator[None]:
        """Inside, half of what is left is kept for what comes after."""
        kept = self.left // 2
        self.left -= kept
        try:
            yield
        finally:
            self.left += kept


def kernel_budget(operations: int, kernel_size: int) -> Budget:
    """The budget of values for a kernel of this size: most of its work, less what is found out
    before.
    """
    return Budget(max(work_of_kernel(kernel_size) * 4 // 5 // STEPS - 3 * operations, _FEWEST))


def describe(operation: Operation) -> str:
    """Why an operation's value in the lanes is not known, in words for a user."""
    words = {
        Opcode.ACCESS: LOADED,
        Opcode.PHI: "depends on control flow",
        Opcode.CALL: UNREAD_CALL,
        Opcode.WARP: "depends on a value from another lane",
        Opcode.PURE: UNKNOWN_FUNCTION,
        Opcode.CONVERT: "depends on floating point or a narrowing conversion",
    }
    return words.get(operation.opcode, "depends on unknown values")
