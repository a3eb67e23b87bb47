"""`warplint inspect kernels FILE...`: the kernels found, and how much of each was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .inspection import FORMATS, Listing, run
from .options import analysis_options, files_argument, report_options

if TYPE_CHECKING:
    from ..config.settings import Settings
    from .options import Report


@click.command("kernels", short_help="List kernels with bounds, launches and what was read.")
@files_argument
@analysis_options
@report_options(FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """List kernels with their parameters, bounds, launches, and how much of each was read."""
    from ..report.inspection import kernel_lines, kernel_record

    listing = Listing("kernels", lambda kernel, _: [kernel], kernel_record, kernel_lines)
    return run(files, settings, report, listing)
