"""`warplint fleet report DIR...`: what was found in all repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...fleet.questions import QUESTIONS, answers
from ..shared.options import FILE, report_options

if TYPE_CHECKING:
    from ..shared.options import Report


@click.command("report", short_help="Show what was found in all repositories.")
@click.argument("folders", nargs=-1, required=True, type=FILE, metavar="DIR...")
@click.option(
    "--ask",
    type=click.Choice(list(QUESTIONS)),
    multiple=True,
    help="One question only; may be repeated. [default: all]",
)
@click.option(
    "--most", type=click.IntRange(0), default=20, show_default=True, metavar="N",
    help="Rows of each answer; 0 for all.",
)  # fmt: skip
@report_options(["text", "json", "html"])
def command(folders: tuple[str, ...], *, ask: tuple[str, ...], most: int, report: Report) -> int:
    """Show what was found in the repositories whose tables are in DIR.

    Several DIRs are runs at different times, the oldest first: the trend is from the first to the
    last of them, or between two revisions of a repository in one list.
    """
    from .... import __version__
    from ...report.fleet import fleet_json, fleet_lines, fleet_page
    from ..shared.output import report_palette, write_report

    found = answers(folders, ask or tuple(QUESTIONS), most)
    if report.format == "json":
        text = fleet_json(found)
    elif report.format == "html":
        text = fleet_page(found, __version__)
    else:
        palette = report_palette(report.color, report.output)
        text = "".join(f"{line}\n" for line in fleet_lines(found, palette))
    write_report(text, report.output)
    return 0
