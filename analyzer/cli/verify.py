"""`warplint verify FILE:LINE...`: the commands that show findings on a GPU."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import click

from ..config.errors import UsageError
from .shared.findings_at import all_findings, checked, covers, other_lines, read_place
from .shared.headings import HeadedCommand
from .shared.options import check_options, report_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..config.project import Project
    from ..findings.finding import Finding
    from ..report.formats.json_report import Record
from .shared.options import Report


@click.command(
    "verify",
    cls=HeadedCommand,
    short_help="Print the commands that measure findings on a GPU.",
)
@click.argument("places", nargs=-1, required=True, metavar="FILE:LINE[:COLUMN]...")
@click.option(
    "--app",
    default="./app",
    show_default=True,
    metavar="COMMAND",
    help="The command that starts your program.",
)
@check_options(())
@report_options(["text", "json"])
def command(places: tuple[str, ...], *, app: str, project: Project, report: Report) -> int:
    """Print the commands that measure findings on a GPU.

    For each finding at one of the places: NVIDIA's tool for its kernel alone, and the check that
    reads its report and says whether the finding is confirmed. Build the program with -lineinfo.
    """
    from ..measurements.commands import commands_for
    from ..report.formats.json_report import dump
    from .shared.output import print_problems, write_report

    rows: list[tuple[Finding, list[str]]] = []
    result_of = cache(lambda path: checked(path, project)[1])
    for place in places:
        path, line, column = read_place(place)
        result = result_of(path)
        found = [each for each in all_findings(result) if covers(each, line, column)]
        if not found:
            raise UsageError(f"no finding at {place}", other_lines(result))
        print_problems(result.problems, report.color, traces=project.settings.debug)
        rows += [(each, list(commands_for(each, app))) for each in found]
    if report.format == "json":
        text = dump({"findings": [_record(*row) for row in rows]})
    else:
        text = "\n".join(f"{line}" for row in rows for line in _lines(*row)) + "\n"
    write_report(text, report.output)
    return 0


def _record(finding: Finding, commands: list[str]) -> Record:
    from ..report.formats.json_report import place_record

    place = place_record(finding.span)
    return {
        "rule": finding.rule.code,
        "path": finding.span.path,
        **place,
        "kernel": finding.kernel,
        "commands": [*commands],
    }


def _lines(finding: Finding, commands: list[str]) -> Iterator[str]:
    """A comment of the shell, then the commands."""
    from ..report.text.cells import printable_line

    where = f"{finding.span.path}:{finding.span.line}"
    yield printable_line(f"# {where} {finding.rule.code}: {finding.text}")
    yield from map(printable_line, commands)
    if not commands:
        yield "# no measurement shows this"
