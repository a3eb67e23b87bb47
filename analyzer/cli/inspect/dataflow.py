"""`warplint inspect dataflow FILE...`: which value is computed from which."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import GRAPH_FORMATS, Command, Listing, list_kernels

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...ir.kernel import Kernel, Module
    from ...report.kernels.graph import KernelGraph
    from ..shared.options import Report


@click.command("dataflow", short_help="Show the dataflow graph of kernels.")
@files_argument
@analysis_options
@report_options((*GRAPH_FORMATS, "graphml"))
@click.option(
    "--from",
    "start",
    metavar="VAR|LINE",
    help="Show only what is computed from this variable, value or line.",
)
@click.option(
    "--to",
    "end",
    metavar="VAR|LINE",
    help="Show only what this variable, value or line is computed from.",
)
def command(
    files: tuple[str, ...],
    *,
    settings: Settings,
    report: Report,
    start: str | None,
    end: str | None,
) -> int:
    """Show for each value of a kernel what it is computed from and what uses it (SSA form).

    Values are numbered as in `inspect ir`. With --from, --to or both only the values on the way are
    shown, and the way leads through memory, too: from each store to the loads of the same object,
    and from a decision to the stores that it is made about.
    """
    from ...report.kernels.dataflow import dataflow, dataflow_lines
    from ...report.kernels.graph import graph_record, render_dot, render_graphml

    documents = {"dot": render_dot, "graphml": render_graphml}
    nothing = "no kernels" if start is None and end is None else "nothing leads there"
    lines = partial(dataflow_lines, nothing=nothing)
    listing = Listing("graphs", graph_record, lines, documents)
    asked = Command(files, settings, report)

    def graphs(kernel: Kernel, module: Module) -> list[KernelGraph]:
        if start is None and end is None:
            return [dataflow(kernel)]
        from ...engine.file_check import facts_of
        from ...report.kernels.dataflow_slices import sliced_dataflow

        graph = sliced_dataflow(facts_of(kernel, module, settings), start, end)
        return [graph] if graph.nodes else []

    return list_kernels(asked, listing, graphs)
