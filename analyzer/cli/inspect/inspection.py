"""What the `inspect` commands have in common: read, describe, write, exit code."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Generic, TypeVar

from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ...analyses.facts import LaunchFacts
    from ...config.settings import Settings
    from ...engine.inputs import Inputs
    from ...engine.inspection import Inspection
    from ...ir.kernel import Kernel, Module
    from ...report.formats.json_report import Record
    from ...report.text.palette import Palette
    from ..shared.options import Report

FORMATS = ("text", "json")
GRAPH_FORMATS = (*FORMATS, "dot")

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Listing(Generic[Row]):
    """How rows are shown: the plural they are listed under, and a row in each format.

    `documents` has the formats that are one text of all rows, such as Markdown.
    """

    name: str
    record: Callable[[Row], Record]
    lines: Callable[[Sequence[Row], Palette], Iterable[str]]
    documents: Mapping[str, Callable[[Sequence[Row]], str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """One run of an `inspect` command: what a user asked for."""

    files: Sequence[str]
    settings: Settings
    report: Report

    def inputs(self) -> Inputs:
        """The files to read, none of which the report may replace."""
        from ...engine.inputs import collect_inputs
        from ..shared.output import protect_inputs

        inputs = collect_inputs(self.files)
        protect_inputs(self.report.output, (file.path for file in inputs.files))
        return inputs

    def write(self, found: Inspection[Row], listing: Listing[Row]) -> int:
        """Write the rows and the problems met; returns the exit code."""
        from ...engine.result import problems_exit_code
        from ...report.kernels.inspection import render_records
        from ..shared.output import print_problems, report_palette, write_report

        report = self.report
        print_problems(found.problems, report.color, traces=self.settings.debug)
        if report.format == "json":
            text = render_records(listing.name, map(listing.record, found.rows), found.inputs)
        elif report.format in listing.documents:
            text = listing.documents[report.format](found.rows)
        else:
            palette = report_palette(report.color, report.output)
            text = "".join(f"{line}\n" for line in listing.lines(found.rows, palette))
        write_report(text, report.output)
        return int(problems_exit_code(found.problems))


def list_kernels(
    command: Command, listing: Listing[Row], rows: Callable[[Kernel, Module], Iterable[Row]]
) -> int:
    """Write what an `inspect` command's `rows` says of each kernel; returns the exit code."""
    from ...engine.inspection import inspect_kernels

    inputs = command.inputs()
    what = f"inspect {listing.name}"
    return command.write(inspect_kernels(inputs, command.settings, what, rows), listing)


def list_launches(
    command: Command, listing: Listing[Row], rows: Callable[[LaunchFacts], Iterable[Row]]
) -> int:
    """Write what an `inspect` command's `rows` says of each assumed launch; returns the exit
    code.
    """

    def of_kernel(kernel: Kernel, module: Module) -> Iterator[Row]:
        from ...engine.file_check import facts_of

        for launch in facts_of(kernel, module, command.settings, shown=True).launches:
            yield from rows(launch)

    return list_kernels(command, listing, of_kernel)
