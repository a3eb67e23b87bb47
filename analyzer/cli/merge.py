"""`warplint merge REPORT...`: one report of all shards, as one run would have written it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..config.errors import UsageError
from .check.report import COMMANDS, FORMATS
from .shared.options import FILE, report_options, rule_folders_option

if TYPE_CHECKING:
    from .shared.options import Report


_SAME = "same"  # the format that the shards are in


@click.command("merge", short_help="Make one report of the reports of all shards.")
@click.argument("reports", nargs=-1, required=True, type=FILE, metavar="REPORT...")
@rule_folders_option
@report_options((_SAME, *(each for each in FORMATS if each != "html")))
def command(reports: tuple[str, ...], *, rule_folders: tuple[str, ...], report: Report) -> int:
    """Make one report of the reports that `check --shard 1/N` to `N/N` wrote.

    The report and the exit code are those of one run over all files, with the options that the
    shards were given; only its format, its colours and where it goes are chosen here.
    """
    from ... import __version__
    from ..config.project import usable_rules
    from ..engine.baseline import read_baseline
    from ..engine.combining import combined
    from ..engine.shards import whole
    from .check.command import exit_code
    from .check.report import render
    from .check.run import with_rules_off
    from .check.shard import request_of
    from .shared.output import print_problems, protect_inputs, write_report

    protect_inputs(report.output, reports)
    rules = usable_rules(rule_folders)
    records = [_record(path) for path in reports]
    try:
        result = with_rules_off(combined(whole(records, rules, __version__)), rules)
        asked = records[0]["asked"]
        request = request_of(asked)
        baseline, fail_on = asked["baseline"], asked["fail_on"]
        if report.format == _SAME:
            report = replace(report, format=asked["format"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError("a shard is damaged", "run it again") from error
    if baseline is not None:
        result = read_baseline(baseline).only_new(result)
    code = exit_code(result, fail_on, request)
    print_problems(result.problems, report.color, traces=False)
    text = render(result, report, request, code)
    write_report(text, report.output, exact=report.format in COMMANDS)
    return code


def _record(path: str) -> dict[str, Any]:
    from .check.shard import record_in
    from .shared.given_text import given_text

    try:
        found = record_in(json.loads(given_text(path).text))
    except (ValueError, RecursionError):
        found = None
    if found is None:
        advice = "pass what `check --shard N/OF --format json` or `sarif` wrote"
        raise UsageError(f"`{path}` is not the report of a shard", advice)
    return found
