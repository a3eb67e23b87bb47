"""`warplint inspect dataflow FILE...`: which value is computed from which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import GRAPH_FORMATS, Command, Listing, list_kernels

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ..shared.options import Report


@click.command("dataflow", short_help="Show the dataflow graph of kernels.")
@files_argument
@analysis_options
@report_options(GRAPH_FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """Show for each value of a kernel what it is computed from and what uses it (SSA form).

    Values are numbered as in `inspect ir`. Data flow through memory is not shown.
    """
    from ...report.kernels.dataflow import dataflow, dataflow_lines
    from ...report.kernels.graph import graph_record, render_dot

    listing = Listing("graphs", graph_record, dataflow_lines, {"dot": render_dot})
    asked = Command(files, settings, report)
    return list_kernels(asked, listing, lambda kernel, _: [dataflow(kernel)])
