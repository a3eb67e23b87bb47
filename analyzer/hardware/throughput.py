"""What a multiprocessor gets done in a cycle, as data: a static roofline.

In: an architecture, and how much a kernel uses of each resource. Out: which of them it waits for,
and what using less of one would save. Resources overlap, but not entirely: the time is taken as the
p-norm of the times of each, which is the longest where one is much longer than the others.
Not handled: latency, occupancy, tensor cores, the bandwidth of DRAM.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .architectures import table_of_ranges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .architectures import Architecture

_OVERLAP = 3  # the p of the norm


class Resource(Enum):
    """What kernels pay with; the value is how reports call it."""

    SECTORS = "sectors"
    WAVEFRONTS = "wavefronts"
    ISSUE_SLOTS = "issue slots"


@dataclass(frozen=True, slots=True)
class Throughput:
    """Units per cycle of one multiprocessor, and where the numbers come from."""

    issue_slots: float
    wavefronts: float
    sectors: float
    source: str

    def cycles(self, resource: Resource, units: float) -> float:
        """How long a multiprocessor takes for so much of a resource."""
        rates = {
            Resource.SECTORS: self.sectors,
            Resource.WAVEFRONTS: self.wavefronts,
            Resource.ISSUE_SLOTS: self.issue_slots,
        }
        return units / rates[resource]

    def time(self, used: Mapping[Resource, float]) -> float:
        """Cycles for all together."""
        longest = sum(self.cycles(each, units) ** _OVERLAP for each, units in used.items())
        return float(longest ** (1 / _OVERLAP))

    def saved(self, used: Mapping[Resource, float], resource: Resource, units: float) -> float:
        """The part of the time that goes when so much less of one resource is used."""
        before = self.time(used)
        less = {**used, resource: max(0.0, used.get(resource, 0.0) - units)}
        return 1 - self.time(less) / before if before else 0.0


def throughput(machine: Architecture) -> Throughput:
    """The entry that holds for an architecture."""
    entries = table_of_ranges("throughput.toml")["throughput"]
    entry = next(each for each in entries if machine.capability in each["capabilities"])
    return Throughput(**{key: value for key, value in entry.items() if key != "capabilities"})
