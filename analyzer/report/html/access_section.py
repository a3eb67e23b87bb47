"""The memory accesses of a kernel: a table of what each costs, and pictures of the costly ones.

In: the sheet of a kernel and how many pictures there may be. Out: the table, costliest first, and
the bank maps and sectors of accesses that cost more than they must; where none does, of the
costliest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.words import percent, plural
from .bank_map import bank_map
from .markup import Html, element, joined
from .sector_picture import sector_picture
from .tables import table, wide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...findings.kernel_sheets import AccessSheet, KernelSheet, SideSheet

_HEAD = ("line", "access", "bytes", "a warp pays", "over the launch", "time if it were free")
_LITTLE = 0.005


def access_section(sheet: KernelSheet, anchor: str, most: int) -> Html:
    """The accesses of a kernel on the HTML page; nothing without shared or global ones."""
    if not sheet.accesses:
        return Html()
    ordered = sorted(sheet.accesses, key=lambda access: (-access.share, access.span.line))
    rows = (_row(access, sheet, anchor) for access in ordered)
    region = wide(table(_HEAD, rows, "plain"), f"Memory accesses of {sheet.name}")
    pictures = _pictures(ordered, sheet.arch, most)
    drawn = element("div", joined(pictures), class_="figures") if pictures else Html()
    return joined((element("h3", "Memory accesses"), drawn, region))


def _pictures(accesses: Sequence[AccessSheet], arch: int, most: int) -> list[Html]:
    sides = [(access, side) for access in accesses for side in access.sides if side.offsets]
    costly = [pair for pair in sides if pair[1].units > pair[1].ideal]
    drawn: dict[tuple[object, ...], Html] = {}
    for access, side in costly or sides[:1]:
        key = (access.span.line, access.object, access.operation, side.shared, side.units)
        if key not in drawn and len(drawn) < most:
            make = bank_map(access, side, arch) if side.shared else sector_picture(access, side)
            drawn[key] = make
    return list(drawn.values())


def _row(access: AccessSheet, sheet: KernelSheet, anchor: str) -> Html:
    own = access.span.source is sheet.header.source
    line = str(access.span.line) if own else f"{access.span.path}:{access.span.line}"
    shown = own and sheet.header.line <= access.span.line <= sheet.body.end_line
    linked = element("a", line, href=f"#{anchor}-{line}") if shown else line
    name = f" of {access.object}" if access.object else ""
    cells = (
        element("th", linked, scope="row"),
        element("td", f"{access.space} {access.operation}{name}"),
        element("td", "?" if access.width is None else str(access.width)),
        element("td", _per_warp(access)),
        element("td", joined(map(_over_launch, access.sides), "; ")),
        element("td", f"−{percent(access.share, 1)}" if access.share >= _LITTLE else ""),
    )
    return element("tr", joined(cells))


def _per_warp(access: AccessSheet) -> str:
    if access.never:
        return "never executed"
    if access.reason:
        return access.bounds or f"not judged: {access.reason}"
    return "; ".join(map(_units, access.sides))


def _units(side: SideSheet) -> str:
    unit = "wavefront" if side.shared else "sector"
    return f"{plural(side.units, unit)}, ideal {side.ideal}"


def _over_launch(side: SideSheet) -> str:
    if side.total is None:
        return f"× {side.ratio:.3g} of ideal"
    unit = "wavefront" if side.shared else "sector"
    return f"{plural(side.total, unit)}, ideal {side.total_ideal:,}"
