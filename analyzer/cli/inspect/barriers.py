"""`warplint inspect barriers FILE...`: each barrier and what decides who reaches it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import FORMATS, Command, Listing, list_launches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...analyses.facts import LaunchFacts
    from ...config.settings import Settings
    from ...report.kernels.barriers import BarrierOfKernel
    from ..shared.options import Report


@click.command("barriers", short_help="Show the conditions on which threads reach each barrier.")
@files_argument
@analysis_options
@report_options(FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """Show each barrier, the conditions it depends on, and whether they are uniform.

    A barrier is divergent if a condition may differ between the threads that it synchronises;
    SYN001 then searches for two such threads.
    """
    from ...analyses.barriers.barrier_control import barrier_controls
    from ...report.kernels.barriers import BarrierOfKernel, barrier_lines, barrier_record

    def rows(launch: LaunchFacts) -> Iterable[BarrierOfKernel]:
        return [BarrierOfKernel(launch, control) for control in barrier_controls(launch)]

    listing = Listing("barriers", barrier_record, barrier_lines)
    return list_launches(Command(files, settings, report), listing, rows)
