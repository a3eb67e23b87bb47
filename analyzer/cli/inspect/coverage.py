"""`warplint inspect coverage FILE...`: what was not analysed, where, and what would change that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.options import analysis_options, files_argument, report_options
from .inspection import FORMATS, Command, Listing

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ..shared.options import Report


@click.command("coverage", short_help="List what was not analysed, and what would change that.")
@files_argument
@analysis_options
@report_options(FORMATS)
def command(files: tuple[str, ...], *, settings: Settings, report: Report) -> int:
    """List for each kernel what `check` counts as not analysed, by reason, with its lines.

    Places of the source are counted, not instances of templates: a memory access is analysed if it
    is in every instance and launch. Kernels with most to gain come first.
    """
    from ....rules import load_rules
    from ...engine.check import judge_files
    from ...report.kernels.coverage import coverage_lines, coverage_record

    asked = Command(files, settings, report)
    rules = [rule for rule in load_rules().values() if rule.default]
    found = judge_files(asked.inputs().files, settings, rules)
    return asked.write(found, Listing("kernels", coverage_record, coverage_lines))
