"""`warplint resources`: registers, shared memory, spills, occupancy of kernels, and the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..config.errors import UsageError
from ..source.records import dataclass
from .shared.options import FILE, analysis_options, report_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..config.settings import Settings
    from ..engine.resources import ResourceRun, Row
    from ..findings.finding import Data
    from ..report.resources.usage import ResourceView
    from ..resources.budget import Change
    from ..resources.ptxas_run import Compiler
    from .shared.options import Report


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget files that `warplint resources` writes and compares with."""

    write: str | None
    compare: str | None


@click.command("resources", short_help="Show registers, shared memory and spills of kernels.")
@click.argument("files", nargs=-1, type=FILE, metavar="[FILE...]")
@click.option(
    "--ptxas-log",
    "logs",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="A build log with the output of ptxas -v, nvlink or cuobjdump -res-usage; - is stdin.",
)
@click.option(
    "--ptxas",
    default="auto",
    show_default=True,
    metavar="auto|never|PATH",
    help="Whether to run an installed ptxas (for .cu also nvcc), or which one.",
)
@click.option(
    "--maxrregcount",
    type=click.IntRange(1, 255),
    metavar="N",
    help="Register limit to run ptxas with.",
)
@click.option("--write-baseline", type=FILE, metavar="FILE", help="Write the numbers to FILE.")
@click.option(
    "--baseline",
    "budget",
    type=FILE,
    metavar="FILE",
    help="Compare with the numbers in FILE: exit code 1 if a kernel uses more.",
)
@analysis_options
@report_options(["text", "json"])
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    *,
    logs: tuple[str, ...],
    ptxas: str,
    maxrregcount: int | None,
    write_baseline: str | None,
    budget: str | None,
    settings: Settings,
    report: Report,
) -> int:
    """Show the resource usage of each kernel, every number with its source.

    A FILE is CUDA C++, PTX, a cubin, a fatbin, or an object or program with kernels. The most
    reliable source wins: binary, build log, an installed ptxas, the file itself, an estimate.
    Without --arch every architecture of the binaries and logs is shown.
    """
    from ..engine.resources import Asked, find_resources
    from ..source.collection import collection_paused
    from .shared.given_text import given_text
    from .shared.output import protect_inputs

    if not files and not logs:
        raise UsageError(
            "neither a file nor a build log was passed",
            "pass a .cu, .ptx or binary file, or --ptxas-log",
        )
    protect_inputs(report.output, (*files, *logs))
    asked = Asked(
        files,
        [(name, given_text(name).text) for name in logs],
        settings,
        context.get_parameter_source("arch") is ParameterSource.COMMANDLINE,
        _compiler(ptxas, maxrregcount),
    )
    run = find_resources(asked)
    with collection_paused():
        views = [_view(row, settings) for row in run.rows]
    return _finish(run, views, report, Budget(write_baseline, budget))


def _compiler(choice: str, max_registers: int | None) -> Compiler | None:
    from dataclasses import replace

    from ..resources.ptxas_run import find_compiler

    if choice == "never":
        return None
    found = find_compiler(None if choice == "auto" else choice)
    return None if found is None else replace(found, max_registers=max_registers)


def _view(row: Row, settings: Settings) -> ResourceView:
    """A row with the launches that its source tells of, whose blocks are not inferred."""
    from ..engine.file_check import facts_of
    from ..report.resources.kernel_occupancy import Given, kernel_view
    from ..report.resources.usage import ResourceView

    if row.module is None or row.usage.kernel is None:
        return ResourceView(row.usage, ())
    facts = facts_of(row.usage.kernel, row.module, settings, infer=False)
    given = Given(row.usage.arch)
    views = [kernel_view(launch, row.usage.usage, given) for launch in facts.launches]
    return ResourceView(row.usage, tuple(views), row.work)


def _finish(run: ResourceRun, views: Sequence[ResourceView], report: Report, budget: Budget) -> int:
    from ..engine.result import ExitCode, problems_exit_code
    from ..report.formats.json_report import dump
    from ..resources.budget import to_document
    from .shared.output import print_problems, write_report

    print_problems(run.problems, report.color, traces=False)
    changes = _compare(views, budget.compare)
    write_report(_render(run, views, changes, report), report.output)
    code = problems_exit_code(run.problems)
    if budget.write is not None:
        from ..report.resources.budget import budget_entry

        write_report(dump(to_document(map(budget_entry, views))), budget.write)
    if any(change.regression for change in changes or ()):
        code = max(code, ExitCode.FINDINGS)
    return int(code)


def _compare(views: Sequence[ResourceView], path: str | None) -> list[Change] | None:
    """The differences to a stored budget; None when there is none to compare with."""
    import json

    from ..report.resources.budget import budget_entry
    from ..resources.budget import BudgetError, changes, from_document
    from .shared.given_text import given_text

    if path is None:
        return None
    try:
        stored = from_document(json.loads(given_text(path).text))
    except (BudgetError, ValueError, RecursionError) as error:
        advice = "write it with `warplint resources FILE... --write-baseline FILE`"
        raise UsageError(f"`{path}`: {error}", advice) from None
    return changes(stored, map(budget_entry, views))


def _render(
    run: ResourceRun,
    views: Sequence[ResourceView],
    changes: Sequence[Change] | None,
    report: Report,
) -> str:
    from ..report.formats.json_report import dump
    from ..report.resources.budget import change_lines, change_record
    from ..report.resources.build_log import log_lines, log_record
    from ..report.resources.usage import resource_lines, resource_record
    from .shared.output import report_palette

    if report.format == "json":
        document: dict[str, Data] = {
            "kernels": [resource_record(view) for view in views],
            "logs": [log_record(name, log) for name, log in run.logs],
        }
        if changes is not None:
            document["changes"] = [change_record(change) for change in changes]
        return dump(document)
    palette = report_palette(report.color, report.output)
    lines = [*resource_lines(views, palette)]
    for name, log in run.logs:
        lines += log_lines(name, log)
    if changes is not None:
        lines += ["", *change_lines(changes, palette)]
    return "".join(f"{line}\n" for line in lines)
