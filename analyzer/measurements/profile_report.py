"""Reports of Nsight Compute as CSV: a page of raw metrics, or the source page with its counters.

In: the text of `ncu --csv --page raw`, or of `ncu --csv --page source --print-source cuda,sass`.
Out: kernels with their time, registers and occupancy; lines with what they executed, in several
launches added up. The source page with SASS alone has no lines of CUDA, and one with CUDA alone no
counters: both are refused with the option that helps. What ncu writes ahead of the table, such as
messages of the program, is skipped. Its quotes are not always escaped: numbers are counted from the
end of a row.
"""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .kernel_names import plain_name
from .sanitizer_report import ReportError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SAMPLES = "# Samples"
_LEAD = 4  # columns of text ahead of the numbers: line, source, address, instruction
_MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6, "nsecond": 1e-3, "usecond": 1.0}
_TIME, _REGISTERS = "gpu__time_duration.sum", "launch__registers_per_thread"
_RESIDENT = "sm__maximum_warps_per_active_cycle_pct"
_ACTIVE = "sm__warps_active.avg.pct_of_peak_sustained_active"
_HELP = "ncu --import FILE --csv --page source --print-source cuda,sass prints what is needed"


@dataclass(frozen=True, slots=True)
class MeasuredLaunch:
    """One launch in a report of Nsight Compute; microseconds and percent."""

    kernel: str
    time: float | None
    registers: float | None
    occupancy: float | None  # theoretical
    achieved: float | None


@dataclass(frozen=True, slots=True)
class MeasuredLine:
    """One line of a kernel in a report of Nsight Compute; `counters` by the columns' names."""

    kernel: str
    file: str  # without folders
    line: int
    source: str
    counters: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ProfileReport:
    """What one report of Nsight Compute says."""

    launches: tuple[MeasuredLaunch, ...] = ()
    lines: tuple[MeasuredLine, ...] = ()


def read_profile(text: str) -> ProfileReport:
    """The report, of either page; raises ReportError where it holds neither."""
    try:
        rows = list(csv.reader(text.splitlines()))
    except csv.Error as error:  # a cell that is too long
        raise ReportError(f"not CSV: {error}", _HELP) from error
    for number, row in enumerate(rows):
        if row[:2] == ["ID", "Process ID"] and "Kernel Name" in row:
            return ProfileReport(launches=tuple(_launches(row, rows[number + 1 :])))
        if row and row[0] in ("File Path", "File Name", "Function Name", "Kernel Name"):
            return _source_page(rows[number:])
    raise ReportError("not CSV of Nsight Compute", _HELP)


def _launches(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[MeasuredLaunch]:
    """The raw page: a row of units, then one for each launch."""
    units = dict(zip(head, rows[0], strict=False)) if rows else {}
    if _TIME not in units:
        raise ReportError(
            "the page has no times, or not one metric in a column",
            "print it with `ncu --csv --page raw`, collected with --section SpeedOfLight",
        )
    for row in rows[1:]:
        values = dict(zip(head, row, strict=False))
        if "Kernel Name" not in values or len(row) != len(head):
            continue
        time = _number(values.get(_TIME, ""))
        scale = _MICROSECONDS.get(units[_TIME], 1.0)
        yield MeasuredLaunch(
            plain_name(values["Kernel Name"]),
            None if time is None else time * scale,
            _number(values.get(_REGISTERS, "")),
            _number(values.get(_RESIDENT, "")),
            _number(values.get(_ACTIVE, "")),
        )


def _source_page(rows: Sequence[Sequence[str]]) -> ProfileReport:
    """Blocks of lines, each of one file and one function."""
    file = function = ""
    head: Sequence[str] = ()
    found: dict[tuple[str, str, int], dict[str, float]] = {}
    sources: dict[tuple[str, str, int], str] = {}
    for row in rows:
        if row[:1] == ["File Path"] or row[:1] == ["File Name"]:
            file = row[1].replace("\\", "/").rpartition("/")[2] if len(row) > 1 else ""
        elif row[:1] == ["Function Name"]:
            function = plain_name(row[1]) if len(row) > 1 else ""
        elif row[:2] == ["Line No", "Source"]:
            head = row[_LEAD:]
        elif row[:1] == ["Address"]:
            raise ReportError("the page has no lines of CUDA", _HELP)
        elif head and row and row[0].isdecimal() and len(row) >= len(head) + _LEAD:
            key = (function, file, int(row[0][:9]))
            counters = found.setdefault(key, {})
            sources[key] = row[1].strip()
            for name, value in zip(head, row[-len(head) :], strict=True):
                number = _number(value)
                if number is not None:
                    counters[name] = counters.get(name, 0.0) + number
    if not head:
        raise ReportError("the page has lines, and no counters", _HELP)
    lines = (
        MeasuredLine(kernel, name, line, sources[kernel, name, line], counters)
        for (kernel, name, line), counters in found.items()
    )
    return ProfileReport(lines=tuple(lines))


def _number(text: str) -> float | None:
    """A number as ncu prints it, with commas between thousands; None for what is none."""
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
