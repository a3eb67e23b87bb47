"""What fixing a finding may gain: how much of what a kernel pays with, and how sure that is."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence


class Confidence(Enum):
    """What the estimated gain of a finding rests on."""

    COUNTED = "counted"  # every execution over a launch that is known
    SAMPLED = "sampled"  # the mean of some of its executions, of which the number is known
    WEIGHTED = "weighted"  # loops or guards whose outcome is not known have usual weights
    ASSUMED = "assumed"  # nor is the block stated

    @property
    def rank(self) -> int:
        """0 for the surest."""
        return list(Confidence).index(self)


@dataclass(frozen=True, slots=True)
class Gain:
    """What would be saved: a share of one resource of the kernel, and so of its time."""

    share: float  # of all that the kernel uses of the resource, from 0 to 1
    resource: str  # "sectors", "wavefronts", "issue slots"
    confidence: Confidence
    time: float  # of the kernel's time, by what bounds it
    when_large: float  # the same for a launch whose start takes no time, and which fills the GPU
    #: Whether it is about the same whatever trip counts nobody knows are, and nothing that takes
    #: as long is left out; one that is not says how bad a finding is, and is not told.
    firm: bool = True


def summed(found: Sequence[Gain]) -> Gain:
    """The gain of fixing several places of one kernel at once."""
    return Gain(
        min(1.0, sum(gain.share for gain in found)),
        found[0].resource,
        max((gain.confidence for gain in found), key=lambda confidence: confidence.rank),
        min(1.0, sum(gain.time for gain in found)),
        min(1.0, sum(gain.when_large for gain in found)),
    )
