"""Where each variable of a kernel lives, and what the memories are, as the CUDA manuals say it.

In: the sheet of a kernel, or those of all. Out: a table of the variables, those alike in one row;
and one of the memories that they live in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.words import plural
from .markup import Html, element, joined, prose
from .tables import table, wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...analyses.storage.memory_spaces import VariableReport
    from ...findings.kernel_sheets import KernelSheet

_VARIABLES = ("variables", "space", "bytes", "points to", "why")
_TITLE = "Memories"
_MEMORIES = ("memory", "located", "cached", "access", "access by the host", "scope", "lifetime")


def space_table(sheet: KernelSheet) -> Html:
    """The variables of a kernel on the HTML page, folded away; nothing without any."""
    if not sheet.variables:
        return Html()
    alike: dict[tuple[str, str, str, str], list[VariableReport]] = {}
    for each in sheet.variables:
        alike.setdefault((each.space, _size(each), _points_to(each), each.why), []).append(each)
    rows = (_row(*key, group) for key, group in alike.items())
    region = wide(table(_VARIABLES, rows, "plain"), f"Memory spaces of {sheet.name}")
    count = plural(len(sheet.variables), "variable")
    return element("details", element("summary", element("h3", f"Memory of {count}")), region)


def memories(sheets: Iterable[KernelSheet]) -> Html:
    """What the memories of CUDA are that variables live in, for the HTML page."""
    kinds = {each.space: each for sheet in sheets for each in sheet.variables}
    if not kinds:
        return Html()
    rows = (
        (kind, it.located, it.cached, it.access, it.host_access, it.scope, it.lifetime)
        for kind, it in sorted(kinds.items())
    )
    cells = (_cells(row[0], row[1:]) for row in rows)
    region = wide(table(_MEMORIES, cells, "plain"), _TITLE)
    return element("section", element("h2", _TITLE), region, id="memories")


def _row(
    space: str, size: str, points_to: str, why: str, variables: Sequence[VariableReport]
) -> Html:
    names = joined((element("code", f"{each.type} {each.name}") for each in variables), ", ")
    return _cells(names, (space, size, points_to, prose(why)))


def _cells(first: str, others: Iterable[str]) -> Html:
    cells = joined(element("td", each) for each in others)
    return element("tr", element("th", first, scope="row"), cells)


def _size(variable: VariableReport) -> str:
    size = "not known" if variable.bytes is None else f"{variable.bytes:,}"
    return f"{size} per {variable.per}"


def _points_to(variable: VariableReport) -> str:
    return " or ".join(map(str, variable.points_to)) if variable.points_to else ""
