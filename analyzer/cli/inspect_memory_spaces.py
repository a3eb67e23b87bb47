"""`warplint inspect memory-spaces FILE...`: where each variable lives, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .inspection import FORMATS, Command, Listing, list_kernels
from .options import analysis_options, files_argument, report_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..config.settings import Settings
    from ..ir.kernel import Kernel, Module
    from .options import Report


@click.command("memory-spaces", short_help="Show where each variable lives, and why.")
@files_argument
@analysis_options
@report_options(FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """Show for each variable of each kernel its memory space, scope, lifetime, size, and why."""
    from ..analyses.memory_spaces import describe
    from ..report.memory_spaces import KernelVariable, variable_lines, variable_record

    def rows(kernel: Kernel, _: Module) -> Iterable[KernelVariable]:
        return [KernelVariable(kernel, found) for found in describe(kernel, settings.arch)]

    listing = Listing("variables", variable_record, variable_lines)
    return list_kernels(Command(files, settings, report), listing, rows)
