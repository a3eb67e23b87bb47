"""`warplint inspect uniformity FILE...`: which threads agree on each value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import FORMATS, Command, Listing, list_launches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...analyses.facts import LaunchFacts
    from ...config.settings import Settings
    from ...report.kernels.uniformity import LevelOfKernel
    from ..shared.options import Report


@click.command("uniformity", short_help="Show whether values are uniform or divergent.")
@files_argument
@analysis_options
@report_options(FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """Show next to the source for which threads each value and condition is uniform.

    The levels are grid-uniform, block-uniform, warp-uniform and lane-varying; the last also means
    "unknown". They hold for the block shape in the title; --block sets another one.
    """
    from ...analyses.warp_evaluation.value_levels import value_levels
    from ...report.kernels.uniformity import LevelOfKernel, level_lines, level_record

    def rows(launch: LaunchFacts) -> Iterable[LevelOfKernel]:
        return [LevelOfKernel(launch, value) for value in value_levels(launch)]

    listing = Listing("values", level_record, level_lines)
    return list_launches(Command(files, settings, report), listing, rows)
