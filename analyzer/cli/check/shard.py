"""`check --shard 3/8`: a report of some files that says all that a report of the run needs.

In: a run. Out: its report in JSON or SARIF, with the record of the shard (`engine/shards.py`) and
what the command line asked of the report. `warplint merge` reads it back.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ...config.errors import UsageError
from ...findings.finding import Severity
from ...findings.ordering import Order
from .request import Request

if TYPE_CHECKING:
    from ...config.project import Project
    from ..shared.options import Report
    from .run import CheckRun

FORMATS = ("json", "sarif")
KEY = "shard"  # of the report in JSON; in SARIF among the properties of the first run
_FLAGS = ("exit_zero", "quiet", "show_suppressed", "statistics", "verbose")
_WORDS = ("min_severity", "sort", "format", "fail_on", "baseline")
#: What a command line asks of the report, however the files were checked.
ASKED = (
    *("exit_zero", "max_findings", "min_severity", "quiet", "show_suppressed"),
    *("sort", "statistics", "verbose"),
)


def check_shard(run: CheckRun, project: Project, report: Report, request: Request) -> int:
    """Check the files of a share; what they hold fails the run where it is merged, not here."""
    from .... import __version__
    from ...engine.combining import combined
    from ...engine.result import ExitCode
    from ...engine.shards import part_record
    from ..shared.output import print_problems, write_report
    from .command import exit_code
    from .report import render
    from .run import with_rules_off

    if report.format not in FORMATS or request.statistics:
        raise UsageError("--shard needs a report to merge", "pass --format json or sarif")
    part = run.part()
    result = with_rules_off(combined(part), project.rules())
    code = exit_code(result, project.run.fail_on, request)
    print_problems(result.problems, report.color, traces=project.settings.debug)
    record = part_record(part, __version__)
    record["asked"] = {
        **{name: getattr(request, name) for name in ASKED},
        "format": report.format,
        "fail_on": project.run.fail_on,
        "baseline": project.run.baseline,
    }
    document = json.loads(render(result, report, request, code))
    if report.format == "sarif":
        document["runs"][0].setdefault("properties", {})[KEY] = record
    else:
        document[KEY] = record
    write_report(json.dumps(document, indent=2) + "\n", report.output)
    return int(ExitCode.CLEAN)


def record_in(document: Any) -> dict[str, Any] | None:
    """The record of a shard in a report; None where there is none."""
    if not isinstance(document, dict):
        return None
    if "runs" in document:
        runs = document["runs"]
        document = runs[0].get("properties", {}) if runs and isinstance(runs[0], dict) else {}
    found = document.get(KEY)
    return found if isinstance(found, dict) else None


def request_of(asked: dict[str, Any]) -> Request:
    """The request that a shard was made for, as far as reports go; ValueError for made up ones."""
    _check_kinds(asked)
    known = {name: asked[name] for name in ASKED}
    kinds = {field.name: field.type for field in fields(Request)}
    rest: dict[str, Any] = {
        name: False if kind == "bool" else () if kind.startswith("tuple") else None
        for name, kind in kinds.items()
        if name not in known
    }
    return Request(**known, **rest)


def _check_kinds(asked: dict[str, Any]) -> None:
    """Raise ValueError where a value is none that `check_shard` writes."""
    kinds = {**dict.fromkeys(_FLAGS, bool), **dict.fromkeys(_WORDS, str), "max_findings": int}
    severities = {None, *(each.value for each in Severity)}
    fits = all(
        type(asked[name]) is kind or (asked[name] is None and name not in _FLAGS)
        for name, kind in kinds.items()
    )
    if not (
        fits
        and severities >= {asked["min_severity"], asked["fail_on"]}
        and asked["format"] in FORMATS
        and asked["sort"] in {each.value for each in Order}
        and (asked["max_findings"] or 0) >= 0
    ):
        raise ValueError(asked)
