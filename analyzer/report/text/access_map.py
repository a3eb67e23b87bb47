"""A picture of one warp: 32 lanes against the banks of shared memory, or the sectors, they touch.

In: an evaluated access and the layout of the banks. Out: a line per lane, with the offset it
accesses; below them a mark under the bank that the warp waits for, if it waits. In global memory: a
line per sector, in it the lanes that touch it, and how many of its bytes they use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...hardware.sectors import SECTOR_BYTES
from ...source.words import plural
from .cells import printable_line
from .palette import Palette, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyses.memory_traffic.global_accesses import GlobalAccess
    from ...analyses.memory_traffic.shared_accesses import SharedAccess
    from ...hardware.architectures import SharedMemoryLayout

_MARGIN = " " * 6


def lane_map(outcome: SharedAccess, layout: SharedMemoryLayout, palette: Palette) -> Iterator[str]:
    """A picture of an analysed access to shared memory: lanes of the worst warp against banks."""
    sample, access = outcome.worst, outcome.access
    conflict = sample.conflict
    banks = range(layout.banks)
    title = (
        f"line {access.location.span.line}: {access.kind.value} {access.name}, "
        f"warp {sample.warp}, iteration {sample.iteration}: "
        f"{plural(conflict.wavefronts, 'wavefront')}, ideal {conflict.ideal}"
    )
    yield palette.paint(printable_line(title), Role.STRONG)
    yield "lane  " + "".join(f"{bank:<8}" for bank in banks if bank % 8 == 0) + "bank"
    waits = conflict.wavefronts > conflict.ideal
    for lane, offset in enumerate(sample.offsets):
        if offset is None:
            yield f"{lane:>4}"
            continue
        touched = _banks(offset, outcome.width, layout)
        worst = waits and conflict.worst_bank in touched
        mark = palette.paint("#", Role.ERROR if worst else Role.HELP)
        cells = "".join(mark if bank in touched else "·" for bank in banks)
        yield f"{lane:>4}  {cells}  byte {offset}"
    if waits:
        marks = "".join("^" if bank == conflict.worst_bank else " " for bank in banks)
        yield f"{_MARGIN}{marks.rstrip()} most conflicts: bank {conflict.worst_bank}"


def _banks(offset: int, width: int, layout: SharedMemoryLayout) -> set[int]:
    size = layout.bank_bytes
    words = range(offset // size, (offset + width - 1) // size + 1)
    return {word % layout.banks for word in words}


def sector_map(outcome: GlobalAccess, palette: Palette) -> Iterator[str]:
    """A picture of an access to global memory: sectors of the worst warp, from the first
    touched.
    """
    sample, access = outcome.worst, outcome.access
    touched: dict[int, set[int]] = {}
    for lane, offset in enumerate(sample.offsets):
        if offset is not None:
            last = (offset + max(outcome.width, 1) - 1) // SECTOR_BYTES
            for sector in range(offset // SECTOR_BYTES, last + 1):
                touched.setdefault(sector, set()).add(lane)
    title = (
        f"line {access.location.span.line}: {access.kind.value} {access.name}, "
        f"warp {sample.warp}, iteration {sample.iteration}: "
        f"{plural(sample.use.sectors, 'sector')}, ideal {sample.use.ideal}"
    )
    yield palette.paint(printable_line(title), Role.STRONG)
    lanes = range(len(sample.offsets))
    yield "sector  " + "".join(f"{lane:<8}" for lane in lanes if lane % 8 == 0) + "lane"
    first = min(touched, default=0)
    mark = palette.paint("#", Role.ERROR if sample.use.sectors > sample.use.ideal else Role.HELP)
    for sector in sorted(touched):
        cells = "".join(mark if lane in touched[sector] else "·" for lane in lanes)
        yield f"{sector - first:>6}  {cells}  {_used(outcome, sector)} of {SECTOR_BYTES} bytes"


def _used(outcome: GlobalAccess, sector: int) -> int:
    """How many bytes of a sector the lanes use."""
    first = sector * SECTOR_BYTES
    bytes_used: set[int] = set()
    for offset in outcome.worst.offsets:
        if offset is not None:
            low, high = (
                max(offset, first),
                min(offset + max(outcome.width, 1), first + SECTOR_BYTES),
            )
            bytes_used.update(range(low, high))
    return len(bytes_used)
