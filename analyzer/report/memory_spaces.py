"""What `inspect memory-spaces` lists: where each variable of a kernel lives.

In: the reports of the memory space analysis with the kernel each belongs to. Out: one record per
variable, with names that stay, and a table per kernel in the terms of the CUDA manuals.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from .cells import printable_line
from .palette import Palette, Role
from .table import render_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..analyses.memory_spaces import VariableReport
    from ..ir.kernel import Kernel
    from .json_report import Record

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
    "why",
)


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
        "kernel": kernel.instance or kernel.name,
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
    }


def variable_lines(rows: Sequence[KernelVariable], palette: Palette) -> Iterator[str]:
    """A table for each kernel."""
    for index, (_, group) in enumerate(groupby(rows, key=lambda row: id(row.kernel))):
        own = list(group)
        kernel = own[0].kernel
        if index:
            yield ""
        place = f"{printable_line(kernel.span.path)}:{kernel.span.line}"
        yield palette.paint(f"{kernel.instance or kernel.name} ({place})", Role.NOTE)
        yield from render_table(_HEAD, [_cells(row) for row in own], palette)
    if not rows:
        yield "no variables"


def _cells(row: KernelVariable) -> Sequence[str]:
    variable = row.variable
    size = "?" if variable.bytes is None else str(variable.bytes)
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
        variable.why,
    )
