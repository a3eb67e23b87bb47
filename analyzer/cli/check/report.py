"""The reports of `check`: each format's module is imported when that format is asked for."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...engine.result import RunResult
    from ...measurements.measured_program import MeasuredProgram
    from ..shared.options import Report
    from .request import Request

FORMATS = (
    "full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "azure", "junit", "markdown",
    "gcc", "rdjson", "checkstyle", "html",
)  # fmt: skip
#: Who reads these reads every finding.
_BESIDE_CODE = frozenset(FORMATS) - {"full", "concise", "json", "jsonl", "sarif", "html"}
COMMANDS = ("github", "azure")  # their lines are commands of a CI
_FORMATS = f"{__package__.partition('.cli.')[0]}.report.formats"
MOST_FINDINGS = 50  # that a terminal shows in full


def render(
    result: RunResult,
    report: Report,
    request: Request,
    code: int,
    program: MeasuredProgram | None = None,
) -> str:
    """The report of one run, beside what was measured of the program."""
    from ...findings.finding import number_of
    from ...findings.joining import joined
    from ...findings.ordering import Order, ordered

    files_apart = request.statistics or report.format != "full"
    found = joined(result.findings, files_apart=files_apart)
    if program is not None:
        from ...measurements.judging import hot_lines, judged

        found = judged(found, program)
        result = replace(result, hot=hot_lines(found, program), was_measured=True)
    found = ordered(found, Order(request.sort))
    shown = tuple(finding for finding in found if finding.severity.rank <= request.least.rank)
    result = replace(result, findings=shown, below=number_of(found) - number_of(shown))
    if report.format in _BESIDE_CODE and not request.verbose:
        from ...report.formats.gain import saves_little

        worth = tuple(finding for finding in shown if not saves_little(finding))
        result = replace(result, findings=worth, little=len(shown) - len(worth))
    if request.statistics:
        from ...report.formats.statistics import render_statistics
        from ..shared.output import report_palette

        palette = report_palette(report.color, report.output)
        return render_statistics(result, report.format, palette)
    if report.format in ("full", "concise"):
        return _console(result, report, request)
    if report.format == "sarif":
        from .... import __version__
        from ...report.formats.sarif import render_sarif

        return render_sarif(result, __version__, code, show_suppressed=request.show_suppressed)
    if report.format == "html":
        from .... import __version__
        from ...report.html.page import render_html

        return render_html(result, __version__)
    return _plain(report.format)(result, code)


def _console(result: RunResult, report: Report, request: Request) -> str:
    from ...report.formats.console import Extent, render_concise, render_full
    from ..shared.output import report_palette, report_width

    palette = report_palette(report.color, report.output)
    full = report.format == "full"
    most = MOST_FINDINGS if full and not request.verbose else 0
    extent = Extent(
        most if request.max_findings is None else request.max_findings,
        request.show_suppressed,
        request.quiet,
        request.verbose,
    )
    if not full:
        return render_concise(result, palette, extent)
    return render_full(result, report_width(report.output), palette, extent)


def _plain(name: str) -> Callable[[RunResult, int], str]:
    """The formats that depend on nothing but the result."""
    from .... import __version__

    if name == "json":
        from ...report.formats.json_report import render_json

        return lambda result, code: render_json(result, __version__, code)
    if name == "jsonl":
        from ...report.formats.json_lines import render_json_lines

        return lambda result, code: render_json_lines(result, __version__, code)
    module = import_module(f"{_FORMATS}.{name}")
    render: Callable[[RunResult], str] = getattr(module, f"render_{name}")
    return lambda result, code: render(result)
