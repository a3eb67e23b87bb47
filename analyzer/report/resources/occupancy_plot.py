"""The occupancy curves as pictures: columns of characters, or an SVG of three panels.

In: an occupancy and the amount along the axis. Out: lines of text, or one SVG document. Both show
resident warps over block size, registers and shared memory, and mark where the launch stands.
Nothing here computes an occupancy of its own.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ...resources.occupancy_curves import Amount, curve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...resources.occupancy import Occupancy
    from ...resources.occupancy_curves import Point

_COLUMNS = 64
_ROWS = 8
_WIDTH, _HEIGHT, _MARGIN, _GAP = 300, 160, 48, 40  # of one panel, in pixels


def plot_lines(it: Occupancy, amount: Amount, name: str) -> Iterator[str]:
    """Warps over one amount, eight rows high; `^` marks the launch."""
    points = curve(it, amount)
    if not points:
        return
    columns = _columns(points)
    most = it.architecture.warps_per_sm
    yield f"warps over {name}"
    for row in range(_ROWS, 0, -1):
        mark = f"{most * row // _ROWS:>4}" if row % 2 == 0 else "    "
        cells = (("#" if p.occupancy.warps * _ROWS > most * (row - 1) else " ") for p in columns)
        yield f"{mark} |{''.join(cells)}".rstrip()
    value = getattr(it.block, amount.value)
    here = sum(p.value < value for p in columns[:-1])
    yield f"     +{'-' * len(columns)}"
    yield f"      {' ' * here}^ {value}"
    first, last = str(points[0].value), str(points[-1].value)
    yield f"      {first}{last:>{max(len(columns) - len(first), len(last) + 1)}}"


def _columns(points: Sequence[Point]) -> list[Point]:
    """At most so many points, the last one always among them."""
    if len(points) <= _COLUMNS:
        return list(points)
    return [points[(i + 1) * len(points) // _COLUMNS - 1] for i in range(_COLUMNS)]


def render_svg(it: Occupancy, title: str, names: dict[Amount, str]) -> str:
    """The three curves side by side as one SVG document."""
    width = len(names) * (_WIDTH + _MARGIN) + _GAP
    height = _HEIGHT + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f'<text x="{_MARGIN}" y="18" font-size="13">{escape(title)}</text>',
    ]
    for index, (amount, name) in enumerate(names.items()):
        left = _MARGIN + index * (_WIDTH + _MARGIN)
        parts.append(f'<g transform="translate({left},{_GAP})">')
        parts += _panel(it, amount, name)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>\n"])


def _panel(it: Occupancy, amount: Amount, name: str) -> Iterator[str]:
    points = curve(it, amount)
    most = it.architecture.warps_per_sm
    last = points[-1].value if points else 1

    def place(value: int, warps: int) -> tuple[float, float]:
        return value / max(last, 1) * _WIDTH, _HEIGHT * (1 - warps / most)

    path = _steps([place(point.value, point.occupancy.warps) for point in points])

    yield f'<path d="M0 0V{_HEIGHT}H{_WIDTH}" fill="none" stroke="#888"/>'
    for part in range(5):
        warps = most * part // 4
        y = _HEIGHT * (1 - part / 4)
        yield f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{warps}</text>'
    yield f'<path d="{path}" fill="none" stroke="#1f77b4" stroke-width="1.5"/>'
    x, y = place(getattr(it.block, amount.value), it.warps)
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#d62728"/>'
    yield f'<text x="0" y="{_HEIGHT + 16}">{points[0].value if points else 0}</text>'
    yield f'<text x="{_WIDTH}" y="{_HEIGHT + 16}" text-anchor="end">{last}</text>'
    yield f'<text x="{_WIDTH / 2}" y="{_HEIGHT + 30}" text-anchor="middle">{escape(name)}</text>'


def _steps(corners: Sequence[tuple[float, float]]) -> str:
    """A path that holds its height until the next value: all values up to a point share it."""
    path = ""
    for x, y in corners:
        path += f"V{y:.1f}H{x:.1f}" if path else f"M0 {y:.1f}H{x:.1f}"
    return path
