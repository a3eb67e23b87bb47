"""Where each variable of a kernel lives, as the CUDA manuals tabulate it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .markup import Html, element, joined, prose

if TYPE_CHECKING:
    from ...analyses.storage.memory_spaces import VariableReport
    from ...findings.kernel_sheets import KernelSheet

_HEAD = ("variable", "type", "space", "located", "cached", "scope", "bytes", "points to", "why")


def space_table(sheet: KernelSheet) -> Html:
    """The table, folded away; nothing where a kernel has no variable."""
    if not sheet.variables:
        return Html()
    head = element("tr", joined(element("th", name, scope="col") for name in _HEAD))
    rows = joined(map(_row, sheet.variables))
    table = element("table", element("thead", head), element("tbody", rows), class_="plain")
    name = f"Memory spaces of {sheet.name}"
    region = element("div", table, class_="wide", tabindex="0", role="region", aria_label=name)
    title = element("summary", element("h3", f"Memory spaces of {len(sheet.variables)} variables"))
    return element("details", title, region)


def _row(variable: VariableReport) -> Html:
    size = "?" if variable.bytes is None else f"{variable.bytes:,}"
    points_to = " or ".join(map(str, variable.points_to)) if variable.points_to else ""
    cells = (
        element("th", element("code", variable.name), scope="row"),
        element("td", element("code", variable.type)),
        element("td", variable.space, class_=f"space {variable.space.split()[0]}"),
        element("td", variable.located),
        element("td", variable.cached),
        element("td", variable.scope),
        element("td", f"{size} per {variable.per}"),
        element("td", points_to),
        element("td", prose(variable.why)),
    )
    return element("tr", joined(cells))
