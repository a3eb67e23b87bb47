"""`warplint check FILE...`: find defects in kernels."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from ...config.errors import UsageError
from ...source.words import plural
from ..shared.headings import HeadedCommand
from ..shared.options import check_options, files_argument, report_options
from .report import COMMANDS, FORMATS, render
from .request import Request, request_options

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ...config.project import Project
    from ...engine.inputs import Inputs
    from ...engine.result import RunResult
    from ...fleet.cluster import Cluster
    from ..shared.options import Report
    from .run import CheckRun


@click.command("check", cls=HeadedCommand, short_help="Find defects in CUDA C++ and PTX files.")
@files_argument
@check_options(request_options)
@report_options(FORMATS)
def command(files: tuple[str, ...], *, project: Project, report: Report, **values: Any) -> int:
    """Find defects in CUDA C++ and PTX files.

    A FILE may be a directory: it is searched for .cu, .cuh and .ptx files. `@FILE` is a list of
    files, one per line. `-` is standard input; with --fix the fixed text is printed, and the report
    goes to standard error.
    """
    from ..shared.inputs import read_inputs
    from ..shared.output import protect_inputs
    from .run import CheckRun

    request = Request(**values)
    request.check(files)
    if request.watch:
        from .watching import watch

        return watch(files, project)
    inputs = read_inputs(files, request.stdin_filename, project)
    if request.show_files:
        return _show_files(inputs, project, report)
    protect_inputs(report.output, (*(file.path for file in inputs.files), *request.read))
    reports = not (request.statistics or request.show_diff or request.fix_only)
    drawn = reports and report.format == "html"
    with _workers(request, project) as workers:
        run = CheckRun(
            project,
            inputs,
            request,
            cached=not request.no_cache,
            sheets=drawn,
            workers=workers,
        )
        return _report(run, project, report, request)


def _workers(request: Request, project: Project) -> AbstractContextManager[Cluster | None]:
    """The cluster that checks the files, if one does."""
    if request.where is None:
        return nullcontext()
    from ....rules.plugins import PluginCheck
    from ...fleet.cluster import cluster

    own = [rule.code for rule in project.rules().values() if isinstance(rule.check, PluginCheck)]
    if own:
        advice = f"leave {', '.join(own)} out, or check without --cluster"
        raise UsageError("the workers of a cluster do not know your own rules", advice)
    return cluster(request.where)


def _report(run: CheckRun, project: Project, report: Report, request: Request) -> int:
    """Check, change what is to be changed, and say what is left."""
    from ..shared.output import print_problems, write_beside, write_fixed, write_report
    from .measured import measured_program

    program = measured_program(request)
    traces = project.settings.debug
    if request.share is not None:
        from .shard import check_shard

        return check_shard(run, project, report, request)
    if request.show_diff:
        return _show_difference(run, report, traces=traces)
    if request.changes_files:
        result, fixed = run.changed()
    else:
        result, fixed = run.result(), None
    code = exit_code(result, project.run.fail_on, request)
    print_problems(result.problems, report.color, traces=traces)
    if request.fix_only:
        text = f"fixed {plural(result.fixed, 'finding')}\n"
    else:
        text = render(result, report, request, code, program)
    exact = report.format in COMMANDS and not request.statistics
    if fixed is None:
        write_report(text, report.output, exact=exact)
    else:
        write_fixed(fixed)
        write_beside(text, report, exact=exact)
    return code


def _show_difference(run: CheckRun, report: Report, *, traces: bool) -> int:
    """What edits would change, as a patch."""
    from ...report.text.log_commands import is_read
    from ..shared.output import print_problems, report_palette, write_report

    palette = report_palette(report.color, report.output)
    text, problems, code = run.difference(palette)
    print_problems(problems, report.color, traces=traces)
    # A patch has to fit; the log of a CI is for people.
    write_report(text, report.output, exact=report.output is not None or not is_read())
    return code


def _show_files(inputs: Inputs, project: Project, report: Report) -> int:
    """The files of a run, one per line; those in another configuration's reach name it."""
    from ...engine.result import problems_exit_code
    from ..shared.output import print_problems, write_report

    print_problems(inputs.problems, report.color, traces=project.settings.debug)
    own = project.run.path
    lines = []
    for file in inputs.files:
        path = project.at(file.path).path
        lines.append(file.path if path == own else f"{file.path}  # {path or 'no configuration'}")
    write_report("".join(f"{line}\n" for line in lines), report.output)
    return int(problems_exit_code(inputs.problems))


def exit_code(result: RunResult, fail_on: str | None, request: Request) -> int:
    """The exit code of `warplint check` for a run."""
    if result.stopped:
        return 128 + result.stopped
    from ...engine.result import ExitCode, problems_exit_code
    from ...findings.finding import Severity

    least = min(
        (Severity(fail_on or Severity.WARNING.value), request.least), key=lambda each: each.rank
    )
    failing = any(finding.severity.rank <= least.rank for finding in result.findings)
    failing = (failing and not request.fix_only) or (request.fails_on_fix and result.fixed > 0)
    found = ExitCode.FINDINGS if failing and not request.exit_zero else ExitCode.CLEAN
    return int(max(found, problems_exit_code(result.problems)))
