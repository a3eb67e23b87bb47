"""The three occupancy curves of a kernel, with the cliffs next to where it stands.

In: the occupancy of a kernel's sheet. Out: a figure of three pictures: resident warps over block
size, registers and dynamic shared memory. A point marks the launch, dashed lines the nearest values
at which more or fewer warps are resident; a band is the interval of an estimate. Where registers
are not known, their curve has no point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...resources.occupancy_curves import Amount, cliffs, curve
from ...source.words import percent
from ..resources.occupancy import AMOUNTS
from .drawing import figure, label, picture
from .markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...findings.kernel_sheets import OccupancySheet
    from ...resources.occupancy import Occupancy
    from ...resources.occupancy_curves import Point

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 300.0, 110.0, 34.0, 30.0, 34.0
_KILO = 1024


def occupancy_figure(sheet: OccupancySheet) -> Html:
    """The occupancy curves of a kernel on the HTML page, side by side."""
    panels = [panel for amount in AMOUNTS if (panel := _panel(sheet, amount)) is not None]
    return figure(f"Resident warps: {sheet.headline}", element("div", *panels, class_="pair"))


def _panel(sheet: OccupancySheet, amount: Amount) -> Html | None:
    it = sheet.occupancy
    points = curve(it, amount)
    if not points:
        return None
    scale = _Scale(points[-1].value, it.architecture.warps_per_sm)
    unknown = sheet.bound and amount is Amount.REGISTERS
    outline = _outline(points, scale)
    parts = [
        *_axes(scale, points, AMOUNTS[amount]),
        *([] if unknown else _band(sheet, amount, scale)),
        element("path", d=f"{outline}V{_TOP + _HEIGHT:g}H{_LEFT:g}z", class_="under"),
        element("path", d=outline, class_="curve"),
        *([] if unknown else _marks(it, amount, scale)),
    ]
    if unknown:
        parts.append(label("registers are not known", _LEFT + _WIDTH, _TOP - 8, class_="end"))
    value = "not known" if unknown else _amount(getattr(it.block, amount.value), amount)
    name = f"resident warps over {AMOUNTS[amount]}; here: {value}, {it.warps} warps"
    return picture(name, (_LEFT + _WIDTH + 8, _TOP + _HEIGHT + _BOTTOM), *parts)


class _Scale:
    """Where values and warps are in a picture."""

    def __init__(self, last: int, warps: int) -> None:
        self.last, self.warps = max(last, 1), warps

    def x(self, value: float) -> float:
        """Of an amount."""
        return _LEFT + min(value / self.last, 1.0) * _WIDTH

    def y(self, warps: float) -> float:
        """Of a number of warps."""
        return _TOP + _HEIGHT * (1 - warps / self.warps)


def _outline(points: Sequence[Point], scale: _Scale) -> str:
    """A step for each change; all values up to a point share its height."""
    path = ""
    for point, after in zip(points, [*points[1:], None], strict=True):
        if after is not None and after.occupancy.warps == point.occupancy.warps:
            continue
        warps = point.occupancy.warps
        y, x = scale.y(warps), scale.x(point.value)
        path += f"V{y:.4g}H{x:.4g}" if path else f"M{_LEFT:g} {y:.4g}H{x:.4g}"
    return path


def _axes(scale: _Scale, points: Sequence[Point], name: str) -> Iterator[Html]:
    bottom = _TOP + _HEIGHT
    yield element("path", d=f"M{_LEFT:g} {_TOP:g}V{bottom:g}H{_LEFT + _WIDTH:g}", class_="axis")
    for part in (0, 1, 2):
        warps = scale.warps * part // 2
        yield label(str(warps), _LEFT - 5, scale.y(warps) + 4, class_="end")
    first, last = points[0].value, points[-1].value
    yield label(f"{first:,}", _LEFT, bottom + 14)
    yield label(f"{last:,}", _LEFT + _WIDTH, bottom + 14, class_="end")
    yield label(name, _LEFT + _WIDTH / 2, bottom + 28, class_="middle")


def _band(sheet: OccupancySheet, amount: Amount, scale: _Scale) -> Iterator[Html]:
    """The interval of an estimate."""
    if sheet.ends is None or amount is not Amount.REGISTERS:
        return
    low, high = (scale.x(end.block.registers) for end in sheet.ends)
    yield element(
        "rect", x=low, y=_TOP, width=max(high - low, 1.0), height=_HEIGHT, class_="interval"
    )


def _marks(it: Occupancy, amount: Amount, scale: _Scale) -> Iterator[Html]:
    """The launch, and the cliffs beside it."""
    value = getattr(it.block, amount.value)
    near = cliffs(it, amount)
    for point, side in ((near.below, "end"), (near.above, "start")):
        if point is None:
            continue
        gains = point.occupancy.warps > it.warps
        kind = "more" if gains else "fewer"
        x = scale.x(point.value)
        yield element("path", d=f"M{x:.4g} {_TOP:g}V{_TOP + _HEIGHT:g}", class_=f"cliff {kind}")
        words = f"{_amount(point.value, amount)}: {percent(point.occupancy.fraction)}"
        room = x >= _LEFT + 90 if side == "end" else x <= _LEFT + _WIDTH - 90
        anchor = side if room else "start" if side == "end" else "end"
        y = _TOP - 4 if side == "end" else _TOP - 17
        yield label(words, x, y, class_=f"{anchor} {kind}")
    yield element("circle", cx=scale.x(value), cy=scale.y(it.warps), r=4, class_="here")


def _amount(value: int, amount: Amount) -> str:
    if amount is Amount.DYNAMIC_SHARED and value >= _KILO:
        return f"{value / _KILO:.4g} KB"
    return f"{value:,}"
