"""What the `inspect` commands have in common: read, describe, write, exit code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..config.settings import Settings
    from ..ir.kernel import Kernel, Module
    from ..report.json_report import Record
    from ..report.palette import Palette
    from .options import Report

FORMATS = ("text", "json")

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Listing(Generic[Row]):
    """A thing to list: its plural, its rows for one kernel, and how a row is shown."""

    name: str
    rows: Callable[[Kernel, Module], Iterable[Row]]
    record: Callable[[Row], Record]
    lines: Callable[[Sequence[Row], Palette], Iterable[str]]


def run(files: Sequence[str], settings: Settings, report: Report, listing: Listing[Row]) -> int:
    """Write one listing of all files; returns the exit code."""
    from ..engine.inputs import collect_inputs
    from ..engine.inspection import inspect_kernels
    from ..engine.result import problems_exit_code
    from ..report.inspection import render_records
    from .output import print_problems, protect_inputs, report_palette, write_report

    what = f"inspect {listing.name}"
    inputs = collect_inputs(files)
    protect_inputs(report.output, (file.path for file in inputs.files))
    found = inspect_kernels(inputs, settings, what, listing.rows)
    print_problems(found.problems, report.color, traces=settings.debug)
    if report.format == "json":
        text = render_records(listing.name, map(listing.record, found.rows), found.inputs)
    else:
        palette = report_palette(report.color, report.output)
        text = "".join(f"{line}\n" for line in listing.lines(found.rows, palette))
    write_report(text, report.output)
    return int(problems_exit_code(found.problems))
