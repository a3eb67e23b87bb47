"""The memories that a kernel can use: location, access, scope, lifetime and caching, as data.

In: the name of a memory and a compute capability (90 for 9.0). Out: one `MemorySpace`. Names are
those of the PTX state spaces, and "managed" for global memory that moves between host and device.
The rows and their sources are in memory_spaces.toml. Not handled: caching that an instruction asks
for itself (`ld.global.cg`, `__ldcs`) and what a compiler option changes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..source.records import dataclass
from .architectures import table_of_ranges


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """One row of the table "Salient Features of Device Memory", for one compute capability."""

    name: str
    located: str
    cached: str
    access: str  # by the kernel
    host_access: str
    scope: str
    lifetime: str
    per: str  # what a size in this memory counts for: "thread", "block", "grid"
    sources: tuple[str, ...]
    available: bool = True  # whether this compute capability has such memory


@cache
def memory_space(name: str, capability: int) -> MemorySpace:
    """The data on a memory space of CUDA; if the architecture lacks it, of the first that
    has it.
    """
    rows = [row for row in _table()["space"] if row["name"] == name]
    row = next((row for row in rows if capability in row["capabilities"]), None)
    available = row is not None
    if row is None:
        row = rows[0]
        capability = max(capability, row["capabilities"].start)
    caching = next(
        entry
        for entry in _table()["caching"]
        if name in entry["spaces"] and capability in entry["capabilities"]
    )
    words = ("located", "access", "host_access", "scope", "lifetime", "per")
    return MemorySpace(
        name,
        cached=caching["cached"],
        sources=(row["source"], caching["source"]),
        available=available,
        **{word: row[word] for word in words},
    )


def space_names() -> tuple[str, ...]:
    """The memory spaces that the table of CUDA's memories knows."""
    return tuple(dict.fromkeys(row["name"] for row in _table()["space"]))


def _table() -> dict[str, list[dict[str, Any]]]:
    return table_of_ranges("memory_spaces.toml")
