"""Where each variable of a kernel lives, as the CUDA manuals tabulate it.

In: a kernel and an architecture. Out: one report per variable: space, on or off chip, cached, who
may access it, scope, lifetime (CUDA C++ Best Practices Guide, "Device Memory Spaces", table
"Salient Features of Device Memory"; caching per compute capability from the Programming Guide).
Local arrays are reported as local memory: whether the compiler promotes them to registers is not
decided here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ir.memory import Space

if TYPE_CHECKING:
    from ..ir.kernel import Kernel
    from ..ir.memory import Variable
    from ..source.text import Span


@dataclass(frozen=True, slots=True)
class VariableReport:
    """One row of the table."""

    name: str
    type: str
    space: str
    located: str  # "on-chip" or "off-chip"
    cached: str
    access: str  # by the kernel
    host_access: str
    scope: str
    lifetime: str
    bytes: int | None
    per: str  # what `bytes` counts for: "thread", "block", "grid"
    why: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class _Row:
    located: str
    cached: str
    access: str
    host_access: str
    scope: str
    lifetime: str
    per: str


_ROWS = {
    Space.REGISTER: _Row("on-chip", "n/a", "R/W", "none", "thread", "thread", "thread"),
    Space.LOCAL: _Row("off-chip", "", "R/W", "none", "thread", "thread", "thread"),
    Space.SHARED: _Row("on-chip", "n/a", "R/W", "none", "block", "block", "block"),
    Space.SHARED_CLUSTER: _Row("on-chip", "n/a", "R/W", "none", "cluster", "block", "block"),
    Space.GLOBAL: _Row(
        "off-chip", "", "R/W", "R/W", "grid and host", "application, or host allocation", "grid"
    ),
    Space.CONSTANT: _Row(
        "off-chip", "yes (constant cache)", "R", "R/W", "grid and host", "application", "grid"
    ),
    Space.PARAMETER: _Row(
        "off-chip", "yes (constant cache)", "R", "W (at launch)", "grid", "grid", "grid"
    ),
    Space.TEXTURE: _Row(
        "off-chip", "yes (texture cache)", "R", "R/W", "grid and host", "host allocation", "grid"
    ),
    Space.SURFACE: _Row(
        "off-chip", "yes (L2)", "R/W", "R/W", "grid and host", "host allocation", "grid"
    ),
    Space.GENERIC: _Row("unknown", "unknown", "R/W", "unknown", "unknown", "unknown", "grid"),
}


def describe(kernel: Kernel, arch: int = 90) -> tuple[VariableReport, ...]:
    """The table of a kernel's variables, in order of declaration."""
    return tuple(_report(variable, arch) for variable in kernel.variables)


def _report(variable: Variable, arch: int) -> VariableReport:
    row = _ROWS[variable.space]
    return VariableReport(
        variable.name,
        variable.type,
        variable.space.value,
        row.located,
        row.cached or _caching(variable.space, arch),
        row.access,
        row.host_access,
        row.scope,
        row.lifetime,
        variable.size,
        row.per,
        variable.reason,
        variable.span,
    )


def _caching(space: Space, arch: int) -> str:
    """Caching of global and local memory by compute capability.

    1.x has no data cache; 2.x caches both in L1 and L2; 3.0 and 3.2 keep L1 for local memory
    only, 5.0 keeps neither there by default; 3.5, 3.7 and from 5.2 on both may be cached in L1.
    """
    if arch < 20:
        return "no"
    if arch in (30, 32):
        return "yes (L1 and L2)" if space is Space.LOCAL else "yes (L2)"
    if arch == 50:
        return "yes (L2)"
    return "yes (L1 and L2)"
