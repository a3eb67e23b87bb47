"""The sectors that a warp asks for, and which of their bytes its lanes use.

In: a side of an access in global memory, as the worst warp executes it. Out: a figure with a row
for each line of 128 bytes that is touched, of four sectors each; used bytes have the colour of
their lane, what is moved for nothing is grey. Not drawn: lines beyond the first sixteen.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ...hardware.sectors import LINE_BYTES, SECTOR_BYTES
from ...source.words import percent, plural
from .drawing import cells, figure, label, picture
from .markup import Html, element

if TYPE_CHECKING:
    from ...findings.kernel_sheets import AccessSheet, SideSheet

_BYTE, _ROW, _GAP = 4.0, 12, 5
_LEFT, _TOP = 58, 18
_MOST_LINES = 16


def sector_picture(access: AccessSheet, side: SideSheet) -> Html:
    """A picture of the sectors of an access, one row for each line of the cache."""
    used: dict[int, dict[int, int]] = defaultdict(dict)  # by line: the lane of each byte
    for lane, offset in enumerate(side.offsets):
        if offset is not None:
            for byte in range(offset, offset + max(side.width, 1)):
                used[byte // LINE_BYTES].setdefault(byte % LINE_BYTES, lane)
    lines = sorted(used)
    bytes_used = sum(len(each) for each in used.values())
    moved = sum(
        SECTOR_BYTES * len({byte // SECTOR_BYTES for byte in each}) for each in used.values()
    )
    share = bytes_used / moved if moved else 0.0
    drawn = _picture(lines, used, f"{bytes_used} of {moved} bytes that are moved are used")
    where = f"line {access.span.line}, {access.operation} of {access.object or 'global memory'}"
    cost = f"{plural(side.units, 'sector')}, ideal {side.ideal}"
    return figure(f"{where}: {cost}; {percent(share)} of their bytes are used", drawn)


def _picture(lines: list[int], used: dict[int, dict[int, int]], name: str) -> Html:
    first = lines[0] if lines else 0
    sectors: list[tuple[float, float, float, float]] = []
    lanes: dict[int, list[tuple[float, float, float, float]]] = defaultdict(list)
    numbers = []
    shown = lines[:_MOST_LINES]
    for at, line in enumerate(shown):
        y = float(_TOP + at * (_ROW + _GAP))
        numbers.append(label(f"+{(line - first) * LINE_BYTES}", _LEFT - 6, y + 10, class_="end"))
        for sector in sorted({byte // SECTOR_BYTES for byte in used[line]}):
            sectors.append((_x(sector * SECTOR_BYTES), y, SECTOR_BYTES * _BYTE - 2, _ROW))
        for start, length, lane in _runs(used[line]):
            lanes[lane % 32].append((_x(start), y, length * _BYTE - 0.5, _ROW))
    heads = [label(f"{start}", _x(start), _TOP - 6) for start in range(0, LINE_BYTES, SECTOR_BYTES)]
    height = _TOP + len(shown) * (_ROW + _GAP) + 14
    rest = len(lines) - len(shown)
    more = label(f"and {plural(rest, 'more line')} like these", _LEFT, height - 4) if rest else ""
    return picture(
        name,
        (_LEFT + LINE_BYTES * _BYTE + 2, height if rest else height - 12),
        label("byte", _LEFT - 6, _TOP - 6, class_="end"),
        *heads,
        *numbers,
        element("path", d=cells(sectors), class_="moved"),
        *(element("path", d=cells(each), class_=f"b{lane}") for lane, each in lanes.items()),
        more,
    )


def _x(byte: int) -> float:
    return _LEFT + byte * _BYTE + 1


def _runs(lanes: dict[int, int]) -> list[tuple[int, int, int]]:
    """First byte, length and lane of neighbouring bytes of one lane."""
    found: list[tuple[int, int, int]] = []
    for byte in sorted(lanes):
        if found:
            start, length, lane = found[-1]
            if lane == lanes[byte] and start + length == byte:
                found[-1] = start, length + 1, lane
                continue
        found.append((byte, 1, lanes[byte]))
    return found
