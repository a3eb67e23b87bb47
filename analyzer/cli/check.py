"""`warplint check FILE...`: find defects in kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import analysis_options, files_argument, report_options, rule_options

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..engine.result import RunResult
    from .options import Report, Selection


@click.command("check", short_help="Find defects in CUDA C++ and PTX files.")
@files_argument
@rule_options
@analysis_options
@report_options(["full", "concise", "json", "sarif"])
@click.option("--exit-zero", is_flag=True, help="Exit with 0 when there are findings.")
def command(
    files: tuple[str, ...],
    *,
    settings: Settings,
    selection: Selection,
    report: Report,
    exit_zero: bool,
) -> int:
    """Find defects in CUDA C++ and PTX files.

    A FILE may be a directory; it is searched for .cu, .cuh and .ptx files.
    """
    from ...rules import load_rules
    from ..config.selection import select_rules
    from ..engine.check import check
    from ..engine.inputs import collect_inputs
    from ..engine.result import ExitCode
    from .output import print_problems, protect_inputs, write_report

    rules = select_rules(load_rules(), selection.select, selection.ignore)
    inputs = collect_inputs(files)
    protect_inputs(report.output, (file.path for file in inputs.files))
    result = check(inputs, settings, rules)
    code = result.exit_code
    if exit_zero and code is ExitCode.FINDINGS:
        code = ExitCode.CLEAN
    print_problems(result.problems, report.color, traces=settings.debug)
    write_report(_render(result, report, code), report.output)
    return int(code)


def _render(result: RunResult, report: Report, code: int) -> str:
    from ... import __version__
    from .output import report_palette, report_width

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
