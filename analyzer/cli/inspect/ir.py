"""`warplint inspect ir FILE...`: the kernels as the analyses see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import FORMATS, Command, Listing, list_kernels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...config.settings import Settings
    from ...ir.kernel import Kernel
    from ...report.formats.json_report import Record
    from ...report.text.palette import Palette
    from ..shared.options import Report


@click.command("ir", short_help="Print the intermediate representation of kernels.")
@files_argument
@analysis_options
@report_options(FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """Print the intermediate representation that all analyses use."""
    listing = Listing("kernels", _record, _lines)
    return list_kernels(Command(files, settings, report), listing, lambda kernel, _: [kernel])


def _record(kernel: Kernel) -> Record:
    from ...ir.printer import print_kernel

    return {
        "path": kernel.span.path,
        "line": kernel.span.line,
        "name": kernel.name,
        "instance": kernel.instance,
        "ir": print_kernel(kernel),
    }


def _lines(kernels: Sequence[Kernel], palette: Palette) -> Iterable[str]:
    from ...ir.printer import print_kernel
    from ...report.text.cells import printable, printable_line

    for kernel in kernels:
        yield f"; {printable_line(kernel.span.path)}:{kernel.span.line}"
        yield printable(print_kernel(kernel))
