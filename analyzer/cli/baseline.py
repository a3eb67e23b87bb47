"""`warplint baseline FILE...`: write down the findings there are, so that only new ones count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..config.errors import UsageError
from ..source.words import plural
from .shared.headings import HeadedCommand
from .shared.options import FILE, check_options, files_argument, run_options

if TYPE_CHECKING:
    from ..config.project import Project
    from ..engine.baseline import Baseline

DEFAULT = "warplint-baseline.json"


@click.command(
    "baseline",
    cls=HeadedCommand,
    short_help="Record the current findings, so that only new ones are reported.",
)
@files_argument
@check_options(run_options)
@click.option(
    "--output",
    "-o",
    type=FILE,
    metavar="FILE",
    help=f"The file to write. [default: the configured one, or {DEFAULT}]",
)
@click.option(
    "--reason",
    default="",
    metavar="TEXT",
    help="Why the findings that are new in the file are accepted; it is written beside each.",
)
def command(
    files: tuple[str, ...], *, project: Project, output: str | None, reason: str, no_cache: bool
) -> int:
    """Write a baseline: all findings in the FILEs, which `check --baseline` then does not report.

    An entry consists of rule, kernel and code, not of the line: code may move, be reformatted, and
    have its names changed. Entries that were there keep their day and their reason.
    """
    from ... import __version__
    from ..engine.result import problems_exit_code
    from .check.run import CheckRun
    from .shared.inputs import read_inputs
    from .shared.output import print_problems, protect_inputs, write_report

    path = output or project.run.baseline or DEFAULT
    inputs = read_inputs(files, None, project)
    protect_inputs(path, (file.path for file in inputs.files))
    result = CheckRun(project, inputs, cached=not no_cache).result()
    baseline = _present(path).anew(result, reason)
    print_problems(result.problems, "auto", traces=project.settings.debug)
    write_report(baseline.text(__version__), path)
    write_report(f"{plural(len(result.findings), 'finding')} written to {path}\n", None)
    return int(problems_exit_code(result.problems))


def _present(path: str) -> Baseline:
    """The file that is there, for what it says of entries; one that cannot be used says nothing."""
    from ..engine.baseline import Baseline, read_baseline

    try:
        return Baseline(path, read_baseline(path).entries)
    except UsageError:
        return Baseline(path)
