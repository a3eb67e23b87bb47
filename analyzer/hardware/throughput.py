"""What a multiprocessor gets done in a cycle, as data: a static roofline.

In: an architecture, and how much a kernel uses of each resource. Out: which of them it waits for,
and what using less would save. Resources overlap, but not entirely: the time is taken as the p-norm
of the times of each, which is the longest where one is much longer than the others. Blocks that do
not go round occupy as many multiprocessors as they are; no launch is shorter than one that does
nothing.
Not handled: latency, occupancy, tensor cores.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .architectures import table_of_ranges
from .arithmetic_rates import doubles_per_cycle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .architectures import Architecture

_OVERLAP = 3  # the p of the norm


class Resource(Enum):
    """A resource of a multiprocessor that kernels pay with; the value is how reports call it."""

    SECTORS = "sectors"
    WAVEFRONTS = "wavefronts"  # of shared memory, and lines of L1, which take the same path
    ISSUE_SLOTS = "issue slots"
    MEMORY = "memory sectors"  # those that the second-level cache does not have
    DOUBLES = "operations on doubles"
    UPDATES = "updates of one address"  # by atomics, one after the other on the whole GPU


@dataclass(frozen=True, slots=True)
class Throughput:
    """What one multiprocessor gets done per cycle, in units, and where the numbers come from."""

    issue_slots: float
    wavefronts: float
    sectors: float
    memory: float
    multiprocessors: int
    start: float  # cycles of a launch that does nothing
    source: str
    doubles: float | None  # operations of warps in double precision, if that is known

    def time(self, used: Mapping[Resource, float], blocks: int | None = None) -> float:
        """Cycles for all together; of one block where the number of blocks is not known."""
        each = self.times(used, blocks).values()
        longest = float(sum(cycles**_OVERLAP for cycles in each) ** (1 / _OVERLAP))
        return longest + (0.0 if blocks is None else self.start)

    def times(
        self, used: Mapping[Resource, float], blocks: int | None = None
    ) -> dict[Resource, float]:
        """Cycles that each resource takes on its own."""
        busy = 1 if blocks is None else min(blocks, self.multiprocessors)
        rates = {
            Resource.SECTORS: self.sectors * busy,
            Resource.WAVEFRONTS: self.wavefronts * busy,
            Resource.ISSUE_SLOTS: self.issue_slots * busy,
            Resource.MEMORY: self.memory * (1 if blocks is None else self.multiprocessors),
            Resource.DOUBLES: (self.doubles or self.issue_slots) * busy,
            Resource.UPDATES: 1.0,  # at best
        }
        return {each: units / rates[each] for each, units in used.items()}

    def saved(
        self,
        used: Mapping[Resource, float],
        less: Mapping[Resource, float],
        blocks: int | None = None,
    ) -> float:
        """The part of the time that goes when so much less is used."""
        before = self.time(used, blocks)
        left = {each: max(0.0, units - less.get(each, 0.0)) for each, units in used.items()}
        return 1 - self.time(left, blocks) / before if before else 0.0


def throughput(machine: Architecture) -> Throughput:
    """The units per cycle of one multiprocessor of an architecture."""
    entries = table_of_ranges("throughput.toml")["throughput"]
    entry = next(each for each in entries if machine.capability in each["capabilities"])
    units = {key: value for key, value in entry.items() if key != "capabilities"}
    return Throughput(**units, doubles=doubles_per_cycle(machine.capability))
