"""Products: how fast they move bytes and how fast they compute, as data.

In: a compute capability. Out: the product that stands for it, or None, and the ceiling that memory
sets for a kernel (the roofline of Williams, Waterman, Patterson, CACM 2009): bandwidth times work
per byte, at most the peak. Not handled: tensor cores, caches, other products of one capability.
"""

from __future__ import annotations

from functools import cache

from ..source.records import dataclass
from .tables import table


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU that is sold; GB/s and GFLOPS of single precision."""

    name: str
    capability: int
    bandwidth: float
    peak: float
    source: str

    def ceiling(self, flop_per_byte: float) -> float:
        """The most GFLOPS that a kernel with so much work per byte can reach."""
        return min(self.peak, self.bandwidth * flop_per_byte)


@cache
def devices() -> tuple[Device, ...]:
    """Every GPU product that is known, in the order of its capability."""
    return tuple(Device(**row) for row in table("devices.toml")["device"])


def device_of(capability: int) -> Device | None:
    """The GPU product that stands for a compute capability."""
    return next((item for item in devices() if item.capability == capability), None)
