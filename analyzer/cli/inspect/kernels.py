"""`warplint inspect kernels FILE...`: the functions found, and how much of each was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import FORMATS, Command, Listing

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ..shared.options import Report


@click.command("kernels", short_help="List kernels and device functions, and how much was parsed.")
@files_argument
@analysis_options
@report_options(FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """List kernels and device functions as they are written: parameters, bounds, launches.

    Each definition is listed once, with the number of statements that could not be parsed.
    """
    from ...engine.inspection import inspect_functions
    from ...report.kernels.functions import function_lines, function_record

    asked = Command(files, settings, report)
    listing = Listing("kernels", function_record, function_lines)
    return asked.write(inspect_functions(asked.inputs(), settings), listing)
