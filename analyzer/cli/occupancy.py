"""`warplint occupancy`: how many blocks are resident, of kernels in files, numbers or a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..config.architecture import parse_architecture
from ..config.errors import UsageError
from ..config.launch import parse_block
from ..source.records import dataclass
from .shared.options import FILE, Parsed, analysis_options, report_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..config.settings import Settings
    from ..engine.inspection import Inspection
    from ..ir.kernel import Kernel, Module
    from ..report.resources.occupancy import View
    from ..source.problem import Problem
    from .shared.options import Report

_NUMBER = click.IntRange(0, 2**31 - 1)
_FILES = click.argument("files", nargs=-1, type=FILE, metavar="[FILE...]")


@dataclass(frozen=True, slots=True)
class Numbers:
    """What the command line says one block takes; None where it says nothing."""

    threads: int | None
    regs: int | None
    static_smem: int | None
    dynamic_smem: int | None
    smem_optin: bool
    carveout: int | None
    cache_config: str
    barriers: int | None


@click.command("occupancy", short_help="Show occupancy and what limits it.")
@_FILES
@click.option("--cc", type=Parsed("cc", parse_architecture), metavar="ARCH", help="Same as --arch.")
@click.option("--threads", type=click.IntRange(1, 2**31 - 1), help="Threads per block.")
@click.option("--regs", type=_NUMBER, help="Registers per thread, as ptxas -v prints them.")
@click.option("--static-smem", type=_NUMBER, metavar="BYTES", help="Static shared memory.")
@click.option("--dynamic-smem", type=_NUMBER, metavar="BYTES", help="Dynamic shared memory.")
@click.option(
    "--smem-optin",
    is_flag=True,
    help="Assume cudaFuncAttributeMaxDynamicSharedMemorySize is set: allow more than 48 KB.",
)
@click.option(
    "--carveout",
    type=click.IntRange(-1, 100),
    metavar="PERCENT",
    help="Preferred shared memory carve-out; -1 is the driver's default.",
)
@click.option(
    "--cache-config",
    type=click.Choice(["none", "shared", "l1", "equal"]),
    default="none",
    help="The legacy cache preference (cudaFuncCache).",
)
@click.option("--barriers", type=_NUMBER, help="Named barriers per block. [default: 1]")
@click.option(
    "--from-csv",
    type=FILE,
    metavar="FILE",
    help="Compute every row of a table (- is stdin) and print it with the result columns added.",
)
@click.option("--svg", type=FILE, metavar="FILE", help="Write a plot of the three curves to FILE.")
@click.option("--plot/--no-plot", default=None, help="Plot the curves as text.")
@analysis_options
@report_options(["text", "json"])
def command(
    files: tuple[str, ...],
    *,
    cc: int | None,
    from_csv: str | None,
    svg: str | None,
    plot: bool | None,
    settings: Settings,
    report: Report,
    **values: Any,
) -> int:
    """Show blocks per multiprocessor, occupancy, all limiters, and what would change them.

    For given numbers: `warplint occupancy --cc 9.0 --threads 256 --regs 64`. For files: every
    kernel and launch, where numbers on the command line override those of the file. For a table:
    `--from-csv`.
    """
    numbers = Numbers(**values)
    if cc is not None:
        settings = settings.changed(arch=cc)
    if from_csv is not None:
        if files or svg:
            raise UsageError("--from-csv reads a table only", "drop FILE and --svg")
        return _answer_table(from_csv, report)
    problems: tuple[Problem, ...] = ()
    views: Sequence[View]
    if files:
        found = _of_files(files, numbers, settings, report)
        views, problems = found.rows, found.problems
    else:
        views = [_of_numbers(numbers, settings)]
    if svg is not None:
        _draw(views, svg)
    return _finish(views, problems, report, plot=not files if plot is None else plot)


def _of_numbers(numbers: Numbers, settings: Settings) -> View:
    from ..report.resources.occupancy import View
    from ..resources.occupancy import occupancy

    if numbers.threads is None:
        raise UsageError(
            "neither a file nor --threads was passed",
            "try `warplint occupancy --cc 9.0 --threads 256 --regs 64`, or name a file",
        )
    answer = occupancy(
        settings.arch,
        threads=numbers.threads,
        registers=numbers.regs or 0,
        static_shared=numbers.static_smem or 0,
        dynamic_shared=numbers.dynamic_smem or 0,
        opt_in=numbers.smem_optin,
        carveout=None if numbers.carveout == -1 else numbers.carveout,
        cache=numbers.cache_config,
        barriers=1 if numbers.barriers is None else numbers.barriers,
    )
    arch = answer.architecture
    registers = "registers unknown" if numbers.regs is None else f"{numbers.regs} registers"
    shared = f"{answer.block.static_shared} + {answer.block.dynamic_shared} bytes of shared memory"
    title = f"{arch.name}: {numbers.threads} threads, {registers}, {shared}"
    return View(title, answer, bound=numbers.regs is None)


def _answer_table(path: str, report: Report) -> int:
    from ..report.resources.occupancy_table import render_answers, rows_of
    from ..resources.occupancy_table import RowError, answer_rows
    from .shared.given_text import given_text
    from .shared.output import protect_inputs, write_report

    protect_inputs(report.output, (path,))
    text = given_text(path).text
    try:
        columns, rows = rows_of(text)
        answered = list(answer_rows(rows))
    except RowError as error:
        advice = "no row was written; correct it and try again"
        raise UsageError(f"`{path}`: {error}", advice) from None
    write_report(render_answers(columns, answered, as_json=report.format == "json"), report.output)
    return 0


def _of_files(
    files: tuple[str, ...], numbers: Numbers, settings: Settings, report: Report
) -> Inspection[View]:
    from ..analyses.storage.source_registers import with_source_registers
    from ..engine.file_check import facts_of
    from ..engine.inspection import inspect_kernels
    from ..report.resources.kernel_occupancy import Given, kernel_view
    from ..resources.occupancy import CachePreference
    from .inspect.inspection import Command

    if numbers.threads is not None:
        settings = settings.changed(block=parse_block(str(numbers.threads)))
    given = Given(
        settings.arch,
        numbers.regs,
        numbers.static_smem,
        numbers.dynamic_smem,
        numbers.smem_optin,
        None if numbers.carveout == -1 else numbers.carveout,
        CachePreference(numbers.cache_config),
        numbers.barriers,
    )

    def views(kernel: Kernel, module: Module) -> Iterator[View]:
        facts = facts_of(kernel, module, settings)
        usage = with_source_registers(facts, kernel.usage(settings.arch), settings.arch)
        for launch in facts.launches:
            yield kernel_view(launch, usage, given)

    inputs = Command(files, settings, report).inputs()
    return inspect_kernels(inputs, settings, "occupancy", views)


def _finish(
    views: Sequence[View], problems: Sequence[Problem], report: Report, *, plot: bool
) -> int:
    from ..engine.result import problems_exit_code
    from .shared.output import print_problems

    print_problems(problems, report.color, traces=False)
    _write(views, report, plot=plot)
    return int(problems_exit_code(problems))


def _write(views: Sequence[View], report: Report, *, plot: bool) -> None:
    from ..report.resources.occupancy import occupancy_lines, view_record
    from .shared.output import report_palette, write_report

    if report.format == "json":
        from ..report.formats.json_report import dump

        write_report(dump({"launches": [view_record(view) for view in views]}), report.output)
        return
    palette = report_palette(report.color, report.output)
    texts = ["".join(f"{x}\n" for x in occupancy_lines(v, palette, plot=plot)) for v in views]
    write_report("\n".join(texts) or "no kernel\n", report.output)


def _draw(views: Sequence[View], path: str) -> None:
    from ..report.resources.occupancy import AMOUNTS
    from ..report.resources.occupancy_plot import render_svg
    from .shared.output import write_report

    if len(views) != 1:
        raise UsageError(
            f"--svg draws one launch, and there are {len(views)}", "pass numbers, or --block"
        )
    write_report(render_svg(views[0].occupancy, views[0].title, AMOUNTS), path)
