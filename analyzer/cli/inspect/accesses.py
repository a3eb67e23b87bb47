"""`warplint inspect accesses FILE...`: each access to shared and global memory and its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import FORMATS, Command, Listing, list_launches

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ..shared.options import Report


@click.command("accesses", short_help="Show wavefronts and sectors of each memory access.")
@files_argument
@analysis_options
@report_options(FORMATS)
@click.option(
    "--map", "draw", is_flag=True, help="Draw the lanes of the worst warp and what they touch."
)
def command(files: tuple[str, ...], *, settings: Settings, report: Report, draw: bool) -> int:
    """Show each access to shared and global memory, for each launch of its kernel.

    `degree` is the ratio of wavefronts (for global memory: sectors) to the ideal number, over the
    whole launch where its grid and all loops and guards around the access are known, otherwise over
    a sample of its warps; `worst` is the ratio of the worst single warp. `[for large N]`: no launch
    gives the parameter N, and the ratio is the same for every large N that is a multiple of 32.
    `[1 if N % 32 == 0, at most 2]`: for other N rows begin in the middle of a sector. The
    line is the one that a profiler shows: for a subscript over several lines, the last one.
    """
    from ...analyses.memory_traffic.access_table import counted_accesses
    from ...report.kernels.accesses import access_lines, access_maps, access_record

    listing = Listing("accesses", access_record, access_maps if draw else access_lines)
    return list_launches(Command(files, settings, report), listing, counted_accesses)
