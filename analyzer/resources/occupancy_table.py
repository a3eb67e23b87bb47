"""Occupancy of many launches at once: a table of launches in, the same table with answers out.

In: rows with the columns of `INPUTS`; of these only the first three are needed. Out: the same rows
with the columns of `ANSWERS`. The names are those people know from NVIDIA's calculator. A row that
cannot be read raises `RowError` with the number of the row and the column. Reading and writing the
file is up to the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hardware.architectures import UnknownArchitectureError
from .occupancy import CachePreference, Resource, occupancy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .occupancy import Occupancy

#: The input columns, with what an empty or missing cell means; None where there is no default.
INPUTS: dict[str, str | None] = {
    "cc": None,
    "threads_per_block": None,
    "regs_per_thread": None,
    "static_smem": "0",
    "dynamic_smem": "0",
    "smem_optin": "0",
    "carveout": "-1",
    "cache_config": "none",
    "num_barriers": "1",
}

#: The column that holds the limit of each resource.
LIMITS = {
    Resource.WARPS: "limit_warps",
    Resource.REGISTERS: "limit_regs",
    Resource.SHARED: "limit_smem",
    Resource.BLOCKS: "limit_blocks",
    Resource.BARRIERS: "limit_barriers",
}

ANSWERS = (
    "blocks_per_sm",
    "active_warps",
    "occupancy",
    "limiters",
    "smem_per_block",
    "regs_per_block",
    *LIMITS.values(),
)


class RowError(ValueError):
    """A row of a table of launches, whose occupancy is asked, cannot be understood."""


def answer_rows(rows: Iterable[Mapping[str, str]]) -> Iterator[dict[str, str]]:
    """Each row of a table of launches with its occupancy in columns added or replaced."""
    for number, row in enumerate(rows, start=1):
        try:
            result = _ask(row)
        except (UnknownArchitectureError, ValueError) as error:
            raise RowError(f"row {number}: {error}") from error
        yield {**row, **answers(result)}


def answers(result: Occupancy) -> dict[str, str]:
    """The occupancy columns for a launch; `inf` where a resource sets no limit."""
    limits = {
        column: "inf" if result.limits[resource] is None else str(result.limits[resource])
        for resource, column in LIMITS.items()
    }
    return {
        "blocks_per_sm": str(result.blocks),
        "active_warps": str(result.warps),
        "occupancy": f"{result.fraction:.6f}",
        "limiters": "|".join(each.value for each in Resource if each in result.limiters),
        "smem_per_block": str(result.shared_per_block),
        "regs_per_block": str(result.registers_per_block),
        **limits,
    }


def _ask(row: Mapping[str, str]) -> Occupancy:
    carveout = _number(row, "carveout")
    return occupancy(
        _cell(row, "cc"),
        threads=_number(row, "threads_per_block"),
        registers=_number(row, "regs_per_thread"),
        static_shared=_number(row, "static_smem"),
        dynamic_shared=_number(row, "dynamic_smem"),
        opt_in=_number(row, "smem_optin") != 0,
        carveout=None if carveout == -1 else carveout,
        cache=_cache(row),
        barriers=_number(row, "num_barriers"),
    )


def _cell(row: Mapping[str, str], column: str) -> str:
    text = (row.get(column) or "").strip() or INPUTS[column]
    if text is None:
        raise ValueError(f"column {column} is missing or empty")
    return text


def _number(row: Mapping[str, str], column: str) -> int:
    text = _cell(row, column)
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{column} is {text!r}, not a whole number") from None


def _cache(row: Mapping[str, str]) -> CachePreference:
    text = _cell(row, "cache_config").lower()
    try:
        return CachePreference(text)
    except ValueError:
        names = ", ".join(each.value for each in CachePreference)
        raise ValueError(f"cache_config is {text!r}, not one of {names}") from None
