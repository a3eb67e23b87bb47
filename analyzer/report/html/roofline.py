"""What bounds a kernel: the cycles that each resource takes, and a static roofline.

In: the sheet of a kernel. Out: bars for the resources, the longest being what it waits for, and a
figure with the work per byte of its hot loop below the ceiling of one product of its architecture.
Not handled: tensor cores, caches (`pointers/work.py`).
"""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING

from ...hardware.devices import device_of
from ...source.words import percent
from ..resources.usage import work_text
from .drawing import bar, figure, label, picture
from .markup import Html, element, joined
from .overview import WAITS

if TYPE_CHECKING:
    from ...findings.kernel_sheets import KernelSheet
    from ...hardware.devices import Device

_WIDTH, _HEIGHT, _LEFT, _TOP = 300.0, 130.0, 52.0, 16.0
_LEAST, _MOST = -2.0, 3.0  # powers of ten of operations per byte
_DECADES = 4.0  # of GFLOPS below the peak


def resource_bars(sheet: KernelSheet) -> Html:
    """How long each resource takes a kernel, as bars, the longest first; nothing if not known."""
    longest = max((cycles for _, cycles in sheet.times), default=0.0)
    if not longest:
        return Html()
    rows = [
        element(
            "tr",
            element("th", WAITS.get(name, name), scope="row"),
            element("td", bar(cycles / longest, "heat"), percent(cycles / longest)),
        )
        for name, cycles in sorted(sheet.times, key=lambda item: -item[1])
    ]
    table = element(
        "table",
        element("caption", "Time of each resource, of the longest"),
        element("tbody", joined(rows)),
        class_="plain",
    )
    return element("div", table)


def roofline(sheet: KernelSheet) -> Html:
    """The roofline of a kernel as a figure; nothing where work per byte or product is not known."""
    work, device = sheet.work, device_of(sheet.arch)
    if work is None or device is None or not work.per_byte:
        return Html()
    scale = _Scale(device)
    ridge = device.peak / device.bandwidth
    ceiling = device.ceiling(work.per_byte)
    start, end = 10**_LEAST, 10**_MOST
    roof = "L".join(
        f"{scale.x(each):.4g} {scale.y(device.ceiling(each)):.4g}" for each in (start, ridge, end)
    )
    x, y = scale.x(work.per_byte), scale.y(ceiling)
    bottom = _TOP + _HEIGHT
    right = x > _LEFT + _WIDTH * 0.6
    side = "end" if right else None
    words = f"{work.per_byte:.3g} flop/byte: {ceiling:,.0f} GFLOPS"
    parts = [
        element("path", d=f"M{_LEFT:g} {_TOP:g}V{bottom:g}H{_LEFT + _WIDTH:g}", class_="axis"),
        element("path", d=f"M{x:.4g} {bottom:g}V{y:.4g}", class_="cliff"),
        element("path", d=f"M{roof}", class_="curve"),
        element("circle", cx=x, cy=y, r=4, class_="here"),
        label(words, x - 8 if right else x + 8, min(y + 16, bottom - 6), class_=side),
        label(f"{device.peak:,.0f}", _LEFT - 5, scale.y(device.peak) + 4, class_="end"),
        label("GFLOPS", _LEFT - 5, bottom, class_="end"),
        label("memory", scale.x(start) + 6, scale.y(device.ceiling(start * 8)) - 6),
        label("arithmetic", _LEFT + _WIDTH, scale.y(device.peak) - 5, class_="end"),
        *(
            label(f"{10.0**power:g}", scale.x(10.0**power), bottom + 14, class_="middle")
            for power in range(int(_LEAST), int(_MOST) + 1)
        ),
        label("flop per byte of global memory", _LEFT + _WIDTH / 2, bottom + 28, class_="middle"),
    ]
    size = (_LEFT + _WIDTH + 18, bottom + 34)
    name = f"roofline of {device.name}: {words}"
    return figure(f"Roofline: {work_text(work, sheet.arch)}", picture(name, size, *parts))


class _Scale:
    """Both axes are logarithmic."""

    def __init__(self, device: Device) -> None:
        self._top = log10(device.peak) + 0.15

    def x(self, per_byte: float) -> float:
        """Of operations per byte."""
        power = min(max(log10(per_byte), _LEAST), _MOST)
        return _LEFT + (power - _LEAST) / (_MOST - _LEAST) * _WIDTH

    def y(self, gflops: float) -> float:
        """Of GFLOPS."""
        below = min(self._top - log10(max(gflops, 1e-9)), _DECADES)
        return _TOP + below / _DECADES * _HEIGHT
