"""What `inspect memory-spaces` lists: where each variable of a kernel lives.

In: the reports of the memory space analysis with the kernel each belongs to. Out: one record per
variable, with names that stay, and a table per kernel in the terms of the CUDA manuals, as text for
a terminal and as Markdown.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from ...hardware.local_arrays import measured_with
from ..text.cells import printable_line
from ..text.palette import Palette, Role
from ..text.table import render_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyses.pointers.local_arrays import LocalArray
    from ...analyses.pointers.pointees import Pointee
    from ...analyses.storage.memory_spaces import VariableReport
    from ...findings.finding import Data
    from ...ir.kernel import Kernel
    from ..formats.json_report import Record

_HEAD = (
    "variable",
    "space",
    "located",
    "cached",
    "access",
    "host access",
    "scope",
    "lifetime",
    "bytes",
    "points to",
    "why",
)
_SPECIAL = re.compile(r"[\\*_{}\[\]<>#]")


class KernelVariable(NamedTuple):
    """A variable and the kernel that uses it."""

    kernel: Kernel
    variable: VariableReport


def variable_record(row: KernelVariable) -> Record:
    """One variable; `bytes` is null when the source does not settle it."""
    kernel, variable = row
    span = variable.span
    return {
        "path": (span or kernel.span).path,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "kernel": kernel.label,
        "variable": variable.name,
        "type": variable.type,
        "space": variable.space,
        "located": variable.located,
        "cached": variable.cached,
        "access": variable.access,
        "host_access": variable.host_access,
        "scope": variable.scope,
        "lifetime": variable.lifetime,
        "bytes": variable.bytes,
        "per": variable.per,
        "why": variable.why,
        "points_to": None if variable.points_to is None else _pointees(variable.points_to),
        "array": None if variable.array is None else _array(variable.array),
    }


def variable_lines(rows: Sequence[KernelVariable], palette: Palette) -> Iterator[str]:
    """The memory spaces of variables as text, a table for each kernel."""
    for index, own in enumerate(_by_kernel(rows)):
        if index:
            yield ""
        yield palette.paint(_title(own[0].kernel), Role.NOTE)
        yield from render_table(_HEAD, [_cells(row.variable) for row in own], palette)
    if not rows:
        yield "no variables"


def variable_markdown(rows: Sequence[KernelVariable]) -> str:
    """The memory spaces of variables as Markdown, a heading and a table for each kernel."""
    lines: list[str] = []
    for own in _by_kernel(rows):
        lines += [f"## {_escaped(_title(own[0].kernel))}", ""]
        lines += [_markdown_row(_HEAD), _markdown_row(["---"] * len(_HEAD))]
        lines += [_markdown_row(_cells(row.variable)) for row in own]
        lines.append("")
    return "\n".join(lines or ["No variables.", ""])


def _by_kernel(rows: Sequence[KernelVariable]) -> list[list[KernelVariable]]:
    return [list(group) for _, group in groupby(rows, key=lambda row: id(row.kernel))]


def _title(kernel: Kernel) -> str:
    place = f"{kernel.span.path}:{kernel.span.line}"
    return printable_line(f"{kernel.label} ({place})")


def _cells(variable: VariableReport) -> Sequence[str]:
    size = "?" if variable.bytes is None else str(variable.bytes)
    points_to = "-" if variable.points_to is None else " or ".join(map(str, variable.points_to))
    return (
        variable.name,
        variable.space,
        variable.located,
        variable.cached,
        variable.access,
        variable.host_access,
        variable.scope,
        variable.lifetime,
        f"{size} per {variable.per}",
        points_to,
        variable.why,
    )


def _pointees(pointees: Sequence[Pointee]) -> Data:
    """Where a pointer leads; a null space is a place that is not known."""
    return [
        {
            "space": item.space.value if item.space else None,
            "name": item.name or None,
            "member": item.through or None,
        }
        for item in pointees
    ]


def _array(array: LocalArray) -> Data:
    """The fate of an array; `pattern` names the row of measurements that was used."""
    return {
        "residence": array.residence.value,
        "pattern": array.pattern or None,
        "elements": array.elements,
        "decided_at_line": array.span.line if array.span else None,
        "measured_with": measured_with() if array.pattern else None,
    }


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """Text that Markdown takes literally, code in backticks left as it is."""
    parts = printable_line(text).split("`")
    if len(parts) % 2 == 0:
        parts = ["'".join(parts)]
    for place in range(0, len(parts), 2):
        parts[place] = _SPECIAL.sub(r"\\\g<0>", parts[place])
    return "`".join(parts).replace("|", "\\|")  # a pipe ends a cell, in code too
