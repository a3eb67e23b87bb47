"""`warplint inspect cfg FILE...`: the control flow graph of each kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import GRAPH_FORMATS, Command, Listing, list_kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...config.settings import Settings
    from ...report.formats.json_report import Record
    from ...report.kernels.control_flow import ControlFlowView
    from ..shared.options import Report


@click.command("cfg", short_help="Show the control flow graph of kernels.")
@files_argument
@analysis_options
@report_options(GRAPH_FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """Show the basic blocks of each kernel, inlined functions included, and the edges between them.

    `--format dot` is for Graphviz: `warplint inspect cfg k.cu --format dot | dot -Tsvg`.
    """
    from ...report.kernels.control_flow import control_flow, control_flow_lines
    from ...report.kernels.graph import graph_record, render_dot

    def record(view: ControlFlowView) -> Record:
        return graph_record(view.graph)

    def dot(views: Sequence[ControlFlowView]) -> str:
        return render_dot(view.graph for view in views)

    listing = Listing("graphs", record, control_flow_lines, {"dot": dot})
    asked = Command(files, settings, report)
    return list_kernels(asked, listing, lambda kernel, _: [control_flow(kernel)])
