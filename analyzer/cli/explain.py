"""`warplint explain FILE:LINE`: everything that stands behind the findings of a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..config.errors import UsageError
from .shared.findings_at import (
    all_findings,
    checked,
    covers,
    inputs_of,
    is_at,
    other_lines,
    read_place,
)
from .shared.headings import HeadedCommand
from .shared.options import check_options, report_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.memory_traffic.access_table import CountedAccess
    from ..config.project import Project
    from ..engine.inputs import Inputs
    from ..engine.verdicts import Verdict
    from ..ir.kernel import Kernel, Module
    from .shared.options import Report


@click.command(
    "explain",
    cls=HeadedCommand,
    short_help="Show all the evidence for the findings on a line.",
)
@click.argument("place", metavar="FILE:LINE[:COLUMN]")
@click.option(
    "--verdict",
    is_flag=True,
    help="Show every question that was asked about the conflicts on the line, and its answer.",
)
@check_options(())
@report_options(["text", "json"])
def command(place: str, *, verdict: bool, project: Project, report: Report) -> int:
    """Show all the evidence for the findings on a line.

    That is the finding with its source, every number it is based on, the witness step by step, a
    drawing of lanes and banks for accesses to shared memory, and why the rule matters. Suppressed
    and possible findings are shown, too. With --verdict: the conflicts on the line, whether
    reported or not, and every reason that might speak against reporting them.
    """
    if verdict:
        return _show_verdicts(place, project, report)
    from ..report.formats.json_report import dump
    from ..report.kernels.explanation import explanation, explanation_record
    from .shared.output import print_problems, report_palette, report_width, write_report

    path, line, column = read_place(place)
    inputs, result = checked(path, project)
    found = [item for item in all_findings(result) if covers(item, line, column)]
    if not found:
        raise UsageError(f"no finding at {place}", other_lines(result))
    rows = _accesses(inputs, project, line, {finding.kernel for finding in found})
    print_problems(result.problems, report.color, traces=project.settings.debug)
    if report.format == "json":
        text = dump(explanation_record(found, rows))
    else:
        palette = report_palette(report.color, report.output)
        text = explanation(found, rows, report_width(report.output), palette)
    write_report(text, report.output)
    return 0


def _show_verdicts(place: str, project: Project, report: Report) -> int:
    from ..engine.file_check import facts_of
    from ..engine.inspection import inspect_kernels
    from ..engine.verdicts import verdicts
    from ..report.formats.json_report import dump
    from ..report.kernels.verdicts import verdicts_record, verdicts_text
    from .shared.output import print_problems, report_palette, write_report

    path, line, column = read_place(place)
    inputs, settings = inputs_of(path), project.settings.changed(show_possible=True)

    def rows(kernel: Kernel, module: Module) -> Iterator[Verdict]:
        for each in verdicts(facts_of(kernel, module, settings)):
            if any(is_at(span, path, line, column) for span in each.spans):
                yield each

    result = inspect_kernels(inputs, settings, "explain", rows, uncalled=True)
    if not result.rows:
        advice = "only lines with a conflict, barrier, mask, stride or product have verdicts"
        raise UsageError(f"nothing was judged at {place}", advice)
    print_problems(result.problems, report.color, traces=settings.debug)
    if report.format == "json":
        text = dump(verdicts_record(result.rows))
    else:
        text = verdicts_text(result.rows, report_palette(report.color, report.output))
    write_report(text, report.output)
    return 0


def _accesses(
    inputs: Inputs, project: Project, line: int, kernels: set[str]
) -> tuple[CountedAccess, ...]:
    """The accesses of the line, in the kernels that the findings speak of."""
    from ..analyses.memory_traffic.access_table import counted_accesses
    from ..engine.file_check import facts_of
    from ..engine.inspection import inspect_kernels

    settings = project.settings

    def rows(kernel: Kernel, module: Module) -> Iterator[CountedAccess]:
        if kernel.label not in kernels:
            return
        for launch in facts_of(kernel, module, settings).launches:
            for row in counted_accesses(launch):
                span = row.access.location.span
                if span.line <= line <= span.end_line:
                    yield row

    return inspect_kernels(inputs, settings, "explain", rows).rows
