"""Architectures: what each compute capability allows, as data.

In: a compute capability in any of the forms people write (90, "9.0", "sm_90a", "compute_90").
Out: one `Architecture` record per capability from 1.0 to 12.1, and for each of its values the
document it was taken from. Not handled: differences between products of one capability (number of
multiprocessors, clocks, bandwidth) and capabilities that no compiler of NVIDIA names.

The numbers are in architectures.csv (one row per capability) and architectures.toml (what whole
generations share, and the sources); both are read on first use.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import cache
from typing import Any

from ..source.records import dataclass
from .tables import table, table_text

WARP_SIZE = 32

_NAME = re.compile(r"(?:sm_|compute_|lto_|cc)?(?P<digits>\d{2,3})[af]?", re.IGNORECASE)
_DOTTED = re.compile(r"(?P<major>\d{1,2})\.(?P<minor>\d)")

#: Columns of architectures.csv that are not one number.
_TEXT_COLUMNS = {
    "compute_capability",
    "generation",
    "register_granularity",
    "shared_capacities_kb",
}
#: Fields that come from the [[launch]] entries of architectures.toml.
_LAUNCH_NUMBERS = (
    "blocks_per_cluster",
    "local_per_thread",
    "parameter_bytes",
    "constant_bytes",
    "constant_cache",
)
_LAUNCH_FIELDS = ("block_dimensions", "grid_dimensions", *_LAUNCH_NUMBERS)


class UnknownArchitectureError(ValueError):
    """There is no row for this compute capability; the message names the ones that are known."""


@dataclass(frozen=True, slots=True)
class SharedMemoryLayout:
    """How shared memory is cut into banks and how many lanes one pass serves.

    The fields are explained at the top of architectures.toml.
    """

    banks: int
    bank_bytes: int
    row_bytes: int
    lanes_32: int
    lanes_64: int
    lanes_128: int
    pass_bytes: int
    one_broadcast_word: bool
    merged_load_pairs: bool
    extra_passes_128: int

    def bank(self, address: int) -> int:
        """The bank that holds the byte at `address`."""
        return address // self.bank_bytes % self.banks

    def lanes_per_pass(self, width: int) -> int:
        """Lanes that an access of `width` bytes serves together."""
        if width <= 4:
            return self.lanes_32
        return self.lanes_64 if width == 8 else self.lanes_128


@dataclass(frozen=True, slots=True)
class Architecture:
    """One compute capability: limits per thread, block and streaming multiprocessor (SM).

    Sizes are bytes, registers are 32 bits wide. `shared_capacities` are the sizes the unified
    cache can give to shared memory, in the order of preference of the driver's tables.
    """

    capability: int  # ten times the number NVIDIA prints: 90 is compute capability 9.0
    generation: str
    threads_per_block: int
    threads_per_sm: int
    blocks_per_sm: int
    registers_per_sm: int
    registers_per_block: int
    registers_per_thread: int
    register_unit: int  # allocation unit, per warp or per block as the next field says
    register_granularity: str
    registers_in_double_units: tuple[int, ...]  # per thread; these counts take twice the unit
    warp_granularity: int  # warps of a block are rounded up to this where registers are checked
    sub_partitions: int  # schedulers that own a part of the register file each
    shared_per_sm: int
    shared_per_block: int
    shared_per_block_optin: int | None
    shared_reserved: int  # taken by the driver for every block
    shared_unit: int
    shared_capacities: tuple[int, ...]
    barriers_per_sm: int | None
    block_dimensions: tuple[int, int, int]
    grid_dimensions: tuple[int, int, int]
    blocks_per_cluster: int  # portable maximum; 0 where clusters do not exist
    local_per_thread: int
    parameter_bytes: int
    constant_bytes: int
    constant_cache: int  # of one multiprocessor: the working set that it keeps
    shared_memory: SharedMemoryLayout

    @property
    def name(self) -> str:
        """The compiler's name: "sm_90"."""
        return f"sm_{self.capability}"

    @property
    def compute_capability(self) -> str:
        """The number as NVIDIA prints it: "9.0"."""
        return f"{self.capability // 10}.{self.capability % 10}"

    @property
    def most_shared_per_block(self) -> int:
        """The shared memory of a block at most, for kernels that ask for it."""
        return self.shared_per_block_optin or self.shared_per_block

    @property
    def warps_per_sm(self) -> int:
        """Warps that can be resident on one multiprocessor."""
        return self.threads_per_sm // WARP_SIZE

    def with_eight_byte_banks(self) -> Architecture:
        """The same architecture after `cudaDeviceSetSharedMemConfig(...EightByte)`.

        Only Kepler (3.x) has the setting; everywhere else the driver ignores it, and so do we.
        """
        if self.capability // 10 != 3:
            return self
        return replace(self, shared_memory=replace(self.shared_memory, bank_bytes=8))

    def source(self, field: str) -> str:
        """The document that the value of `field` was taken from; KeyError when there is none."""
        return _source(self.capability, field)

    def __str__(self) -> str:
        return self.name


def architecture(which: int | str | Architecture) -> Architecture:
    """Look up an architecture: 90, "9.0", "sm_90a", "compute_90", or one already looked up.

    A suffix `a` or `f` (architecture- or family-specific features) has no limits of its own.
    Raises UnknownArchitectureError, with what to write instead.
    """
    if isinstance(which, Architecture):
        return which
    capability = which if isinstance(which, int) else parse_capability(which)
    try:
        return _table()[capability]
    except KeyError:
        raise UnknownArchitectureError(_unknown(str(which))) from None


def known_architectures() -> tuple[Architecture, ...]:
    """All architectures, oldest first."""
    return tuple(_table().values())


def parse_capability(text: str) -> int:
    """Ten times the compute capability that `text` names: "sm_90a" and "9.0" are 90."""
    stripped = text.strip()
    if dotted := _DOTTED.fullmatch(stripped):
        return int(dotted["major"]) * 10 + int(dotted["minor"])
    if name := _NAME.fullmatch(stripped):
        return int(name["digits"])
    raise UnknownArchitectureError(_unknown(stripped))


def _unknown(text: str) -> str:
    """What is wrong with `text`, and what may be written instead."""
    from difflib import get_close_matches

    names = [each.name for each in _table().values()]
    wanted = f"sm_{text}" if text.isdigit() else text
    longer = [name for name in names if name.startswith(wanted)] if wanted else []
    close = longer[:1] or get_close_matches(wanted, names, n=1, cutoff=0.6)
    hint = f"did you mean {close[0]}?" if close else f"known are {names[0]} to {names[-1]}"
    return f"unknown architecture {text!r}; {hint}"


@cache
def table_of_ranges(name: str) -> dict[str, list[dict[str, Any]]]:
    """A TOML file of architecture data; `capabilities` of each entry becomes a range of
    integers.
    """
    document: dict[str, list[dict[str, Any]]] = table(name)
    return {section: list(map(_with_range, entries)) for section, entries in document.items()}


def _with_range(entry: dict[str, Any]) -> dict[str, Any]:
    first, last = map(parse_capability, entry["capabilities"].split("-"))
    return {**entry, "capabilities": range(first, last + 1)}


def _common() -> dict[str, list[dict[str, Any]]]:
    return table_of_ranges("architectures.toml")


def _shared_by(section: str, capability: int) -> dict[str, Any]:
    """The entry of a section of architectures.toml that holds for `capability`."""
    return next(entry for entry in _common()[section] if capability in entry["capabilities"])


@cache
def _table() -> dict[int, Architecture]:
    """Every row of architectures.csv, joined with what its generation shares."""
    import csv

    rows = csv.DictReader(table_text("architectures.csv").splitlines())
    table = (_architecture(row) for row in rows)
    return {entry.capability: entry for entry in table}


def _architecture(row: dict[str, str]) -> Architecture:
    """One row of architectures.csv as a record."""
    capability = parse_capability(row["compute_capability"])
    launch = _shared_by("launch", capability)
    layout = _shared_by("shared_memory", capability)
    units = _shared_by("register_units", capability)
    numbers: dict[str, Any] = {
        column: int(text) if text else None
        for column, text in row.items()
        if column not in _TEXT_COLUMNS
    }
    kilobytes = row["shared_capacities_kb"].split(";")
    return Architecture(
        capability=capability,
        generation=row["generation"],
        register_granularity=row["register_granularity"],
        shared_capacities=tuple(int(each) * 1024 for each in kilobytes),
        block_dimensions=tuple(launch["block_dimensions"]),
        grid_dimensions=tuple(launch["grid_dimensions"]),
        registers_in_double_units=tuple(units["registers_in_double_units"]),
        **{key: launch[key] for key in _LAUNCH_NUMBERS},
        **numbers,
        shared_memory=SharedMemoryLayout(
            **{field.name: layout[field.name] for field in fields(SharedMemoryLayout)}
        ),
    )


def _source(capability: int, field: str) -> str:
    """The last matching entry wins: corrections of single values follow the general rule."""
    if field in _LAUNCH_FIELDS:
        return str(_shared_by("launch", capability)["source"])
    if field == "shared_memory":
        return str(_shared_by("shared_memory", capability)["source"])
    if field == "registers_in_double_units":
        return str(_shared_by("register_units", capability)["source"])
    if field not in {each.name for each in fields(Architecture)}:
        raise KeyError(field)
    return next(
        str(entry["source"])
        for entry in reversed(_common()["limits"])
        if capability in entry["capabilities"] and {field, "*"} & set(entry["columns"])
    )
