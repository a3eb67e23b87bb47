"""Global memory: the 32-byte sectors and 128-byte lines that one warp access touches.

In: the byte address of each active lane and the width of the access. Out: sectors, lines, the
ideal number of sectors, and how many bytes of each sector the warp uses.

Measured on an H200 (sm_90) for loads, stores and atomics of 1 to 16 bytes: a request takes one
sector for each distinct 32-byte segment that its active lanes touch, in whatever order they touch
them; 3,072 of 3,072 probe patterns. Nsight Compute calls the quotient of the two "sectors per
request", and sectors beyond the ideal "excessive". Not handled: hits in L1, which save the traffic
but not the request; the splitting of reductions whose lanes hit one address; the half-warp
segments of compute capability 1.x.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

SECTOR_BYTES = 32
LINE_BYTES = 128


@dataclass(frozen=True, slots=True)
class SectorUse:
    """What one warp access asks of global memory."""

    sectors: int
    ideal: int  # sectors if the same bytes lay side by side
    lines: int
    bytes_used: int  # distinct bytes that some lane asks for

    @property
    def ratio(self) -> float:
        """Sectors per ideal sector; 1.0 when no lane is active."""
        return self.sectors / self.ideal if self.ideal else 1.0

    @property
    def excessive(self) -> int:
        """Sectors beyond the ideal."""
        return self.sectors - self.ideal

    @property
    def bytes_per_sector(self) -> float:
        """Bytes used of each 32-byte sector that is moved."""
        return self.bytes_used / self.sectors if self.sectors else 0.0


def global_sectors(addresses: Sequence[int | None], width: int) -> SectorUse:
    """The sectors, by the sector model, of one access of `width` bytes per lane; None stands for an
    inactive lane.
    """
    if width < 1:
        raise ValueError(f"access width must be positive, not {width}")
    active = [each for each in addresses if each is not None]
    lowest = min(active, default=0)
    # Moving a whole warp by full lines changes nothing, so that loop iterations share one entry.
    base = lowest - lowest % LINE_BYTES
    return _evaluate(tuple([each - base for each in active] if base else active), width)


@lru_cache(maxsize=1 << 14)
def _evaluate(active: tuple[int, ...], width: int) -> SectorUse:
    """`global_sectors` for the addresses of the active lanes, relative to the start of a line."""
    sectors: set[int] = set()
    for address in active:
        sectors.update(range(address // SECTOR_BYTES, (address + width - 1) // SECTOR_BYTES + 1))
    return SectorUse(
        sectors=len(sectors),
        ideal=min(len(sectors), -(-len(active) * width // SECTOR_BYTES)),
        lines=len({sector * SECTOR_BYTES // LINE_BYTES for sector in sectors}),
        bytes_used=_distinct_bytes(sorted(set(active)), width),
    )


def _distinct_bytes(starts: Sequence[int], width: int) -> int:
    """Bytes covered by intervals of `width` bytes that begin at `starts`, which are sorted."""
    if not starts:
        return 0
    gaps = (min(width, second - first) for first, second in pairwise(starts))
    return sum(gaps) + width
