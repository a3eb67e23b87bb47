"""`warplint check FILE...`: find defects in kernels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..config.errors import UsageError
from ..config.keys import SEVERITIES
from .options import check_options, files_argument, report_options
from .output import report_palette, report_width

if TYPE_CHECKING:
    from ..config.configuration import Configuration
    from ..config.project import Project
    from ..engine.result import RunResult
    from .check_run import Offers
    from .options import Report

FORMATS = ("full", "concise", "json", "sarif")

_INPUTS = (
    click.option(
        "--stdin-filename",
        metavar="FILE",
        help="The name of the text that `-` reads; says what it is and which configuration holds.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out these files and folders (as in a .gitignore) when a folder is searched.",
    ),
    click.option(
        "--force-exclude/--no-force-exclude",
        default=None,
        help="Leave out excluded files even when they are named outright, as pre-commit does.",
    ),
    click.option(
        "--respect-gitignore/--no-respect-gitignore",
        default=None,
        help="Leave out what git ignores when a folder is searched. [default: respect]",
    ),
    click.option(
        "--diff-base",
        metavar="REF",
        help="Report only what stands on lines changed since this commit, branch or tag.",
    ),
)
_CHANGES = (
    click.option("--fix", is_flag=True, help="Make the safe fixes that findings offer."),
    click.option(
        "--unsafe-fixes",
        is_flag=True,
        help="With --fix or --diff: also fixes that may change what the kernel does.",
    ),
    click.option(
        "--diff", "show_diff", is_flag=True, help="Show what --fix would change; change nothing."
    ),
    click.option(
        "--add-ignore",
        "ignore_reason",
        is_flag=False,
        flag_value="",
        metavar="[REASON]",
        help="Write a comment that suppresses it beside every finding, with this reason.",
    ),
)
_OUTCOME = (
    click.option(
        "--jobs",
        "-j",
        type=click.IntRange(1),
        metavar="N",
        help="How many processes share the work. [default: the number of processors]",
    ),
    click.option("--statistics", is_flag=True, help="Count findings by rule instead."),
    click.option(
        "--fail-on",
        type=click.Choice(SEVERITIES),
        help="The least severity that makes the exit code 1. [default: note]",
    ),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 when there are findings."),
)


@click.command("check", short_help="Find defects in CUDA C++ and PTX files.")
@files_argument
@check_options((*_INPUTS, *_CHANGES, *_OUTCOME))
@report_options(FORMATS)
def command(
    files: tuple[str, ...],
    *,
    project: Project,
    report: Report,
    stdin_filename: str | None,
    diff_base: str | None,
    statistics: bool,
    exit_zero: bool,
    **changes: Any,
) -> int:
    """Find defects in CUDA C++ and PTX files.

    A FILE may be a directory: it is searched for .cu, .cuh and .ptx files. `@FILE` is a list of
    files, one a line. `-` is the standard input.
    """
    from .check_run import CheckRun
    from .inputs import read_inputs
    from .output import print_problems, protect_inputs, write_report

    offers = _offers(**changes)
    inputs = read_inputs(files, stdin_filename, project)
    protect_inputs(report.output, (file.path for file in inputs.files))
    run = CheckRun(project, inputs, diff_base)
    traces = project.settings.debug
    if changes["show_diff"]:
        palette = report_palette(report.color, report.output)
        text, problems, code = run.difference(offers, palette)
        print_problems(problems, report.color, traces=traces)
        write_report(text, report.output)
        return code
    if changes["fix"] or changes["ignore_reason"] is not None:
        result = run.changed(offers, mends=changes["fix"])
    else:
        result = run.result()
    code = _exit_code(result, project.run, exit_zero=exit_zero)
    print_problems(result.problems, report.color, traces=traces)
    write_report(_render(result, report, code, statistics=statistics), report.output)
    return code


def _offers(*, fix: bool, unsafe_fixes: bool, show_diff: bool, ignore_reason: str | None) -> Offers:
    """The edits that the command line asks for."""
    if ignore_reason is not None:
        from ..engine.adding import ignoring

        if fix or unsafe_fixes:
            raise UsageError("--add-ignore and --fix contradict each other", "give one of them")
        return partial(ignoring, reason=ignore_reason)
    if unsafe_fixes and not (fix or show_diff):
        raise UsageError("--unsafe-fixes does nothing alone", "give --fix or --diff, too")
    from ..engine.fixing import offered

    return partial(offered, unsafe=unsafe_fixes)


def _exit_code(result: RunResult, run: Configuration, *, exit_zero: bool) -> int:
    from ..engine.result import ExitCode, problems_exit_code
    from ..findings.finding import Severity

    least = Severity(run.fail_on or Severity.NOTE.value)
    failing = any(finding.severity.rank <= least.rank for finding in result.findings)
    found = ExitCode.FINDINGS if failing and not exit_zero else ExitCode.CLEAN
    return int(max(found, problems_exit_code(result.problems)))


def _render(result: RunResult, report: Report, code: int, *, statistics: bool) -> str:
    from ... import __version__

    if statistics:
        from ..report.statistics import render_statistics

        return render_statistics(result, report.format, report_palette(report.color, report.output))
    if report.format == "json":
        from ..report.json_report import render_json

        return render_json(result, __version__, code)
    if report.format == "sarif":
        from ..report.sarif import render_sarif

        return render_sarif(result, __version__, code)
    from ..report.console import render_concise, render_full

    palette = report_palette(report.color, report.output)
    if report.format == "concise":
        return render_concise(result, palette)
    return render_full(result, report_width(report.output), palette)
