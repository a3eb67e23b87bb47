"""`warplint config show [PATH]`: the settings that hold for a file, and where they are from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ..shared.options import FILE, check_options, report_options

if TYPE_CHECKING:
    from ...config.project import Project
    from ..shared.options import Report


@click.command("show", short_help="Show the settings for a file or folder.")
@click.argument("path", default=".", type=FILE)
@check_options(())
@report_options(["text", "json"])
def command(path: str, *, project: Project, report: Report) -> int:
    """Show the settings for PATH: the nearest configuration, overridden by the command line."""
    from ...report.configuration import configuration_record, configuration_toml
    from ...report.formats.json_report import dump
    from ..shared.output import write_report

    inside = os.path.join(path, "any.cu") if os.path.isdir(path) else path
    configuration = project.at(inside)
    profile = project.profile(inside, project.rules())
    if report.format == "json":
        text = dump(configuration_record(configuration, profile))
    else:
        text = configuration_toml(configuration, profile)
    write_report(text, report.output)
    return 0
