"""`warplint inspect memory-spaces FILE...`: where each variable lives, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import FORMATS, Command, Listing, list_kernels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...config.settings import Settings
    from ...ir.kernel import Kernel, Module
    from ...report.kernels.memory_spaces import KernelVariable
    from ..shared.options import Report


@click.command("memory-spaces", short_help="Show the memory space of each variable, and why.")
@files_argument
@analysis_options
@report_options((*FORMATS, "markdown"))
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """Show for each variable of each kernel its memory space, scope, lifetime, size, and why.

    Caching is that of --arch, from 1.0 to 12.1. Whether a per-thread array is in registers or in
    local memory follows from its indices; for pointers, what they may point to is shown.
    """
    from ...analyses.storage.memory_spaces import describe
    from ...engine.file_check import facts_of
    from ...report.kernels.memory_spaces import (
        KernelVariable,
        variable_lines,
        variable_markdown,
        variable_record,
    )

    def rows(kernel: Kernel, module: Module) -> Iterable[KernelVariable]:
        facts = facts_of(kernel, module, settings)
        return [KernelVariable(kernel, found) for found in describe(facts)]

    documents = {"markdown": variable_markdown}
    listing = Listing("variables", variable_record, variable_lines, documents)
    return list_kernels(Command(files, settings, report), listing, rows)
