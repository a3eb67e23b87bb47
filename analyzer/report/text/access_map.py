"""A picture of one warp: 32 lanes against the banks of shared memory, or the sectors, they touch.

In: an evaluated access and the layout of the banks. Out: a line per lane, with the offset it
accesses; below them a mark under the bank that the warp waits for. In global memory: a line per
sector, and in it the lanes that touch it.
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
    """The worst warp of an access that was analysed."""
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
    for lane, offset in enumerate(sample.offsets):
        if offset is None:
            yield f"{lane:>4}"
            continue
        touched = _banks(offset, outcome.width, layout)
        cells = "".join("#" if bank in touched else "·" for bank in banks)
        yield f"{lane:>4}  {cells}  byte {offset}"
    marks = "".join("^" if bank == conflict.worst_bank else " " for bank in banks)
    yield f"{_MARGIN}{marks.rstrip()} most conflicts: bank {conflict.worst_bank}"


def _banks(offset: int, width: int, layout: SharedMemoryLayout) -> set[int]:
    size = layout.bank_bytes
    words = range(offset // size, (offset + width - 1) // size + 1)
    return {word % layout.banks for word in words}


def sector_map(outcome: GlobalAccess) -> Iterator[str]:
    """The worst warp of an access that was analysed; sectors count from the first one touched."""
    sample = outcome.worst
    touched: dict[int, set[int]] = {}
    for lane, offset in enumerate(sample.offsets):
        if offset is not None:
            last = (offset + max(outcome.width, 1) - 1) // SECTOR_BYTES
            for sector in range(offset // SECTOR_BYTES, last + 1):
                touched.setdefault(sector, set()).add(lane)
    yield (
        f"warp {sample.warp}, iteration {sample.iteration}: "
        f"{plural(sample.use.sectors, 'sector')}, ideal {sample.use.ideal}"
    )
    lanes = range(len(sample.offsets))
    yield "sector  " + "".join(f"{lane:<8}" for lane in lanes if lane % 8 == 0) + "lane"
    first = min(touched, default=0)
    for sector in sorted(touched):
        cells = "".join("#" if lane in touched[sector] else "·" for lane in lanes)
        yield f"{sector - first:>6}  {cells}"
